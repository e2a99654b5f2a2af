"""Bounds that several studies use: Rademacher complexities, and checks of what is given."""
