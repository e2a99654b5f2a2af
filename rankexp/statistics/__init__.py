"""Tests and intervals of differences: which of two methods ranks better, or that neither does.

`design` says what was paired, which decides the test; `paired` has two methods, `several` many of
them, `contrast` their differences as values and their verdicts at once, `orders` the rows of a
test set (DeLong), `pooled` several data sets. `needed` says how much more data would tell,
`verdicts` what may be said, and `claims` whether a claim in words holds.
``docs/statistics.md`` says when each holds.

>>> from rankexp.statistics import paired
>>> from rankexp.statistics.design import Design
>>> gains = [0.011, 0.004, 0.009, 0.012, 0.006]  # AUC of one method less that of another
>>> found, _ = paired.of_design(gains, Design("folds", correction=1 / 4))
>>> low, high = paired.interval(found, 0.95)
>>> f"{found.mean:.4f} ({low:+.4f} to {high:+.4f}), p = {paired.p_value(found):.3f}"
'0.0084 (+0.0021 to +0.0147), p = 0.020'
"""
