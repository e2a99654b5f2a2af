"""Which rows `compare` trains on, and which a split keeps together."""

from dataclasses import replace

import numpy as np

from rankexp.arrays import Bools
from rankexp.errors import ConfigError
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.protocols.dealing import duplicates

FEWEST_ROWS = 3
"""Of each level, and groups: with fewer there is nothing to split."""
FEWEST_DIFFERENT = 10
"""Combinations of features: with fewer, splits between them would be too coarse."""


def training(dataset: Dataset) -> tuple[Dataset, str]:
    """Return the rows to train on, all but those of the test file, and what both files share.

    Raises
    ------
    ConfigError
        A part has too few rows of a level.
    """
    if dataset.parts is None:
        return dataset, ""
    train = dataset.parts == dataset.part_names.index("train")
    for name, rows, least in (("training", train, FEWEST_ROWS), ("test", ~train, 1)):
        levels = dataset.levels or ()
        for code, level in enumerate(levels):
            if (count := int((dataset.y[rows] == code).sum())) < least:
                raise ConfigError(
                    f"the {name} file has {count} row{'s' * (count != 1)} of '{level}', and "
                    f"{least} are needed; merge rare values with others in both files, or leave "
                    "--test out and give all rows in one file"
                )
    said, same = [], duplicates(dataset.X)
    if repeated := int(np.isin(same[~train], same[train]).sum()):
        said.append(
            f"{repeated:,} of the {int((~train).sum()):,} test rows repeat the features of a "
            "training row, so methods may have memorised them."
        )
    if strange := _unseen(dataset, train):
        named = "; ".join(strange[:10])
        said.append(f"Test rows have values that no training row has. These are ignored: {named}.")
    groups, weights = dataset.groups, dataset.weights
    if groups is not None:
        tested = np.unique(groups[~train])
        both = int(np.isin(tested, groups[train]).sum())
        said.append(
            f"{both:,} of the {len(tested):,} groups of the test file are also in the training "
            "file. Intervals treat test rows as independent, even within groups."
        )
    made = replace(
        dataset,
        X=dataset.X[train],
        y=dataset.y[train],
        groups=None if groups is None else groups[train],
        weights=None if weights is None else weights[train],
        parts=dataset.parts[train],
    )
    return made, " ".join(said)


def _unseen(dataset: Dataset, train: Bools) -> list[str]:
    """Name the nominal columns with values that test rows alone have, and how many such rows."""
    found = []
    for j, feature in enumerate(dataset.features):
        own = dataset.X[~train, j]
        rows = int((~np.isnan(own) & ~np.isin(own, dataset.X[train, j])).sum())
        if feature.kind == "nominal" and rows:
            found.append(f"'{feature.name}' in {rows:,} rows")
    return found


def together(dataset: Dataset) -> tuple[str | None, str]:
    """Return which rows a split keeps on one side, None for no rows, and what is to be said.

    Raises
    ------
    ConfigError
        There is nothing to split or to rank by.
    """
    if dataset.groups is not None:
        if (groups := len(np.unique(dataset.groups))) < FEWEST_ROWS:
            raise ConfigError(
                f"--groups: the column has {groups} different values; at least {FEWEST_ROWS} are "
                "needed to train on some and to test on others"
            )
        return "groups", ""
    different = len(np.unique(duplicates(dataset.X)))
    if different < 2:
        raise ConfigError("the features are the same in every row: there is nothing to rank by")
    repeated = len(dataset.X) - different
    if repeated and different < FEWEST_DIFFERENT:
        return None, (
            f"The rows have only {different} different combinations of features, so equal rows "
            "may lie on both sides of a split."
        )
    if repeated:
        said = (
            f"{repeated:,} rows repeat the features of another row; a split keeps these together."
        )
        return "duplicates", said
    return None, ""
