"""Bounds on ranking errors (mohri2018, chapter 10 with proofs and exercises), one subject a file."""
