"""Loss curves, and ranks of methods beside the published ones."""
