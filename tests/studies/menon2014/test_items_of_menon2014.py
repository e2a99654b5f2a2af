"""Each statement of menon2014 has a row in the ledger, with a test or a reason."""

from pathlib import Path

import pandas as pd

LEDGER = Path(__file__).parents[3] / "configs/published/menon2014-claims.csv"

ITEMS = {
    "S_Class,l in S_Class,01": "best scores classify best",
    "strictly proper composite": "the best score is the link",
    "S_Bipart,01": "best rankings follow eta",
    "inconvenient truth": "the regrets differ without decomposability",
    "decomposable solutions": "regrets of decomposable losses",
    "eta_Pair": "the probability of a pair",
    "lemma": "scaled sigmoids decompose",
    "lemma, the other way": "other links do not decompose",
    "proposition": "best scorers of pairs",
    "a below 0": "links with a < 0",
    "regret bound": "surrogate regret bound",
    "non-decomposable": "other losses can be consistent",
    "hinge": "the hinge is inconsistent",
    "utility": "strict utility representation",
    "theoretical equivalences": "risks with one minimiser",
    "practical equivalences": "exponential: points or pairs",
    "without an intercept": "without an intercept",
    "push": "the push for p = 1",
    "best scorers of the push": "best scorer of the push",
    "p-classification": "p-classification or the push",
    "weights": "weights give the losses",
    "ranking the best": "high costs for the top",
    "non-strict losses": "losses for the best are not convex",
    "why exponential": "why exponential: a product",
    "PTop": "PTop regret bounds",
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
