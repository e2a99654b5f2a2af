"""Exact solutions of the hinge of pairs on three points."""
