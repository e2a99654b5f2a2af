"""Texts that records of this study keep."""
