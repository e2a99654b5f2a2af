"""Find a data set (work in progress)."""

from rankexp.data.snapshot import load_snapshot

__all__ = ["load_snapshot"]
