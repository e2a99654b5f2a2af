"""Claims on scores with few values, and on an optimum that does not exist."""
