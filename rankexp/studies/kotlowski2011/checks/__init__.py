"""Compare the generators of the experiments with the noise that they promise."""
