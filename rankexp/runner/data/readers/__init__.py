"""Readers of file formats: a path in, a raw table out."""
