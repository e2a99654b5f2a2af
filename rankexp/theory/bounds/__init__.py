"""Bounds that the wings of several studies use: Rademacher complexities and what is given."""
