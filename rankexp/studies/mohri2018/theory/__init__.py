"""Bounds on errors of ranking, one subject a file: chapter 10, its proofs and exercises.

>>> from rankexp.studies.mohri2018.theory.auc_bounds import auc_half_width
>>> from rankexp.studies.mohri2018.theory.margin_bounds import kernel_margin_bound
>>> bound = kernel_margin_bound(0.1, radius=1.0, norm=1.0, rho=0.5, m=10_000, delta=0.05)
>>> round(bound, 4), round(auc_half_width(200, 400, delta=0.05), 4)
(0.1922, 0.096)
"""
