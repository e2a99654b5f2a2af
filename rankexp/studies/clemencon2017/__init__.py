"""Clémençon and Achab (2017), ranking by a continuous target."""
