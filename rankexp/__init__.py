"""rankexp: run the experiments of ranking papers, and ask their question of your own data."""

__version__ = "0.1.0"
