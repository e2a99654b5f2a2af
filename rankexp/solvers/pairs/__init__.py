"""Smooth losses of pairs, summed without listing the pairs."""
