"""Tables as people have them, made from seeds: each has something that misleads a comparison."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

Made = Callable[[Path], None]


def _features(n: int, d: int, seed: int) -> tuple[np.random.Generator, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    names = [f"x{j + 1}" for j in range(d)]
    return rng, pd.DataFrame(rng.normal(size=(n, d)).round(4), columns=names)


def _churned(rng: np.random.Generator, score: np.ndarray, words: tuple[str, str]) -> np.ndarray:
    chance = 1 / (1 + np.exp(-score))
    return np.where(rng.random(len(score)) < chance, words[1], words[0])


def queries(file: Path) -> None:
    """120 queries of 10 documents; each has an offset, in a feature and in its grades."""
    n, rows = 120, 10
    rng, table = _features(n * rows, 4, 1)
    query = np.repeat(np.arange(n), rows)
    truth = table.to_numpy() @ [1.0, 0.7, 0.5, 0.0] + rng.normal(size=n * rows)
    grade = np.digitize(truth + 1.5 * rng.normal(size=n)[query], [-1.5, -0.5, 0.5, 1.5])
    table["x1"] += (1.5 * rng.normal(size=n)[query]).round(4)
    table.insert(0, "query", [f"q{q:03d}" for q in query])
    table.assign(relevance=grade).to_csv(file, index=False)


def fraud(file: Path) -> None:
    """34 frauds in 20,000 payments, .17 % as in the data set that everybody knows."""
    n, positives = 20_000, 34
    _, table = _features(n, 8, 2)
    y = np.zeros(n, dtype=int)
    y[np.random.default_rng(3).choice(n, positives, replace=False)] = 1
    table["x1"] += 1.5 * y
    table["x2"] -= y
    table.assign(fraud=y).to_csv(file, index=False)


def forty(file: Path) -> None:
    """Forty rows."""
    rng, table = _features(40, 3, 4)
    table.assign(cured=_churned(rng, table["x1"].to_numpy(), ("no", "yes"))).to_csv(
        file, index=False
    )


def leak(file: Path) -> None:
    """A refund that only those have who left."""
    n = 1500
    rng, table = _features(n, 5, 5)
    y = _churned(rng, 0.8 * table["x1"].to_numpy() - 1, ("stayed", "churned"))
    table["refund_eur"] = np.where(y == "churned", rng.gamma(2, 20, n).round(2), 0.0)
    table.assign(status=y).to_csv(file, index=False)


def text(file: Path) -> None:
    """Numbers without a meaning, and reviews that say it all."""
    n = 1200
    rng, table = _features(n, 2, 6)
    y = rng.integers(0, 2, n)
    words = {0: ["slow", "rude", "dirty", "cold"], 1: ["fast", "kind", "clean", "warm"]}
    filler = ["the", "room", "and", "our", "table", "were", "rather", "very", "quite", "always"]
    table["review"] = [
        " ".join([*rng.choice(filler, 9), *rng.choice(words[label], 3), str(i)])
        for i, label in enumerate(y)
    ]
    table.assign(liked=y).to_csv(file, index=False)


def drift(file: Path) -> None:
    """Rows in order of a date, over which what ranks them wears off."""
    n = 2000
    rng, table = _features(n, 4, 7)
    fades = np.linspace(2.5, 0.0, n)
    y = _churned(rng, fades * table["x1"].to_numpy(), ("no", "yes"))
    table.insert(0, "date", pd.date_range("2023-01-01", periods=n, freq="6h").strftime("%Y-%m-%d"))
    table.assign(bought=y).to_csv(file, index=False)


def two_sheets(file: Path) -> None:
    """An Excel file with the data on one sheet, and a summary on another."""
    rng, table = _features(400, 3, 8)
    table["gekauft"] = _churned(rng, 1.5 * table["x1"].to_numpy(), ("nein", "ja"))
    with pd.ExcelWriter(file) as book:
        table.to_excel(book, sheet_name="Daten", index=False)
        counts = pd.DataFrame({"Wert": ["ja", "nein"], "Zahl": [1, 2]})
        counts.to_excel(book, sheet_name="Zusammenfassung", index=False)


def typos(file: Path) -> None:
    """Yes and no, written in six ways."""
    rng, table = _features(800, 3, 9)
    y = _churned(rng, 1.5 * table["x1"].to_numpy(), ("no", "yes"))
    ways = {"no": ["no", "No", "NO", "n"], "yes": ["yes", "Yes", "YES", "y"]}
    table.assign(bought=[rng.choice(ways[label]) for label in y]).to_csv(file, index=False)


def large(file: Path) -> None:
    """300,000 rows of 21 columns."""
    rng, table = _features(300_000, 21, 10)
    y = _churned(rng, table.to_numpy()[:, :5].sum(axis=1) / 2, ("0", "1"))
    table.assign(clicked=y.astype(int)).to_csv(file, index=False)


def wide(file: Path) -> None:
    """200 rows of 3,000 columns."""
    rng, table = _features(200, 3000, 11)
    y = _churned(rng, table.to_numpy()[:, :10].sum(axis=1), ("healthy", "ill"))
    table.assign(state=y).to_csv(file, index=False)


def three_names(file: Path) -> None:
    """Three kinds of wine called 0, 1 and 2, which have no order."""
    rng, table = _features(600, 4, 12)
    centres = np.array([[0, 0], [2, 0], [1, 2]])
    kind = rng.integers(0, 3, 600)
    table[["x1", "x2"]] += centres[kind]
    table.assign(kind=kind).to_csv(file, index=False)


def totals(file: Path) -> None:
    """Shops, with a last row in which every number is the sum of its column."""
    rng, table = _features(300, 1, 13)
    table["visitors"] = rng.integers(900, 60_000, 300)
    table["revenue"] = (table["visitors"] * 9 * np.exp(rng.normal(0, 0.25, 300))).round()
    table.insert(0, "shop", [f"shop {i}" for i in range(300)])
    sums = table.drop(columns="shop").sum().to_dict() | {"shop": "TOTAL"}
    pd.concat([table, pd.DataFrame([sums])]).to_csv(file, index=False)


def click_rate(file: Path) -> None:
    """Advertisements whose rate of clicks is ranked by, with the clicks beside it."""
    rng, table = _features(800, 2, 14)
    table["impressions"] = rng.integers(2000, 200_000, 800)
    rate = 0.03 * np.exp(0.5 * table["x1"] + rng.normal(0, 0.4, 800))
    table["clicks"] = rng.binomial(table["impressions"], np.minimum(rate, 0.5))
    table["rate"] = (100 * table["clicks"] / table["impressions"]).round(2)
    table.to_csv(file, index=False)


def lifetimes(file: Path) -> None:
    """Days to the failure of machines, of which some still ran when the study ended."""
    rng, table = _features(800, 3, 15)
    days = rng.exponential(400 * np.exp(0.5 * table["x1"])).round()
    table["still_running"] = np.where(days >= 365, "yes", "no")
    table.assign(days=np.minimum(days, 365)).to_csv(file, index=False)


def vintages(file: Path) -> None:
    """Wines of 14 years in any order; in the last four a column turns against its medals."""
    rng, table = _features(1200, 2, 16)
    table.insert(0, "vintage", rng.integers(2010, 2024, 1200))
    sign = np.where(table["vintage"] > 2019, -1.5, 1.5)
    table.assign(medal=_churned(rng, sign * table["x1"], ("none", "gold"))).to_csv(
        file, index=False
    )


TABLES: dict[str, tuple[Made, str, str, tuple[str, ...]]] = {
    "queries": (queries, "csv", "relevance", ("--queries", "query")),
    "queries as groups": (queries, "csv", "relevance", ("--groups", "query")),
    "fraud": (fraud, "csv", "fraud", ()),
    "forty rows": (forty, "csv", "cured", ()),
    "leak": (leak, "csv", "status", ("--positive", "churned")),
    "text": (text, "csv", "liked", ()),
    "drift": (drift, "csv", "bought", ()),
    "drift by time": (drift, "csv", "bought", ("--time", "date")),
    "two sheets": (two_sheets, "xlsx", "gekauft", ("--sheet", "Daten")),
    "typos": (typos, "csv", "bought", ("--merge", "no,No,NO,n", "--merge", "yes,Yes,YES,y")),
    "300,000 x 21": (large, "csv", "clicked", ()),
    "200 x 3,000": (wide, "csv", "state", ()),
    "three names": (three_names, "csv", "kind", ()),
    "totals": (totals, "csv", "revenue", ()),
    "click rate": (click_rate, "csv", "rate", ()),
    "lifetimes": (lifetimes, "csv", "days", ()),
    "vintages": (vintages, "csv", "medal", ("--positive", "gold")),
}
"""Each table: what makes it, the suffix of its file, its target, and the options it needs."""
