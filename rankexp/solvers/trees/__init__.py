"""Oriented trees: their nodes, and the splits that concordant pairs choose.

>>> import numpy as np
>>> from rankexp.solvers.trees.splits import best_threshold_split, kendall_charges, presort
>>> root = presort(np.array([[1.0], [2.0], [3.0]]), np.array([0.0, 0.0, 1.0]))
>>> best_threshold_split(root, kendall_charges(root), np.array([0]), 3)
Threshold(feature=0, threshold=2.5, low_first=False)
"""
