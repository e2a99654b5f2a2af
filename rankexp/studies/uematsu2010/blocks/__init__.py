"""Fitted curves, regions and staircases beside what theory says."""
