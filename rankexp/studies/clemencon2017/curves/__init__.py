"""Curves that records of this study keep."""
