"""How near readings of the paper come to its published values."""
