"""The generators of the experiments, tried for the noise that they promise."""
