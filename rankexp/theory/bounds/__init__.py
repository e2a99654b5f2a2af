"""Bounds on errors of ranking, one subject a file: each a function of what it is about.

They are those of mohri2018, chapter 10, and what its proofs and exercises lead to.

>>> from rankexp.theory.bounds.auc import auc_half_width
>>> from rankexp.theory.bounds.margin import kernel_margin_bound
>>> bound = kernel_margin_bound(0.1, radius=1.0, norm=1.0, rho=0.5, m=10_000, delta=0.05)
>>> round(bound, 4), round(auc_half_width(200, 400, delta=0.05), 4)
(0.1922, 0.096)
"""
