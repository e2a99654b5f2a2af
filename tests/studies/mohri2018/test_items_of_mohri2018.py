"""Each statement of chapter 10 of mohri2018 has a row in the ledger, with a test or a reason."""

from pathlib import Path

import pandas as pd

LEDGER = Path(__file__).parents[3] / "configs/published/mohri2018-claims.csv"

ITEMS = {
    "Theorem 10.1, exercise 10.1, Corollaries 10.2 and 10.4, exercise 10.9": "margin bounds",
    "(10.9), (10.10)": "ranking by an SVM",
    "Theorem 10.3, exercises 10.3 and 10.5": "Theorem 10.3",
    "after Theorem 10.3": "the weaker edge condition",
    "logistic variant": "the logistic loss gives a booster",
    "no maximum margin, exercise 10.4": "RankBoost misses the largest margin",
    "Figure 10.2": "the step of Figure 10.2",
    "O(m + n)": "linear time for two classes",
    "(10.22)": "AdaBoost minimises RankBoost's loss",
    "the chapter's AdaBoost": "the chapter's AdaBoost reaches the minimum",
    "converges faster": "RankBoost converges faster",
    "Figures 10.3, 10.4": "the area under the curve",
    "(10.27), (10.31), (10.34)": "regrets with two levels",
    "(10.28), (10.29)": "regrets with weaker notions",
    "(10.30)": "at most twice the loss of h",
    "Theorem 10.5": "no deterministic algorithm does better",
    "(10.33)": "QuickSort loses what h loses",
    "(10.35)": "QuickSort with general targets",
    "n log n": "O(n log n) calls",
    "top k": "O(n + k log k) calls for the top",
    "(10.36)": "(10.35) with an emphasis",
    "(10.36) of two levels": "two levels with an emphasis",
    "10.7": "other criteria",
    "exercise 10.7": "a classifier's error bounds its ranking's",
}
"""A statement of the source -> the claim."""


def test_every_item_has_a_row():
    rows = pd.read_csv(LEDGER, comment="#", keep_default_na=False)
    first = rows.groupby("claim", sort=False).first()
    assert set(ITEMS.values()) <= set(first.index)
    assert len(set(ITEMS.values())) == len(ITEMS)
    assert (first["words"] != "").all()
    untested = first[first["test"] == "not tested"]
    assert (untested["note"] != "").all()
    assert len(untested) <= 6
    assert (rows.loc[rows["test"] != "not tested", "experiment"] != "").all()
