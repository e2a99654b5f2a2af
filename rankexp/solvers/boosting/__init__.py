"""Boosting of pairs and of ordered levels by stumps, whose cuts are found once (`stumps`).

Pairs come factorised (`boost_pairs`), listed, or by transforms (`logistic_pairs`); levels with
thresholds are in `ordinal_boost`.
"""
