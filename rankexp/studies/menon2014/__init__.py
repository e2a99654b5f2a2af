"""Menon and Williamson (2014), losses and risks for the top of a list."""
