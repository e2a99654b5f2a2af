"""One extension of each kind for rankexp, one a file."""
