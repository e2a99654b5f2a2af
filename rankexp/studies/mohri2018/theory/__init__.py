"""Bounds on ranking errors, one subject a file (mohri2018, chapter 10, proofs and exercises)."""
