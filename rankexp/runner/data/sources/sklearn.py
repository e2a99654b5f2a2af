"""Data sets that scikit-learn brings along; none that it would download."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rankexp.errors import DataError
from rankexp.registry import did_you_mean
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable, Feature
from rankexp.runner.data.sources import Reference

REGISTER = {"sklearn": "from_sklearn"}

BUNDLED = ("breast_cancer", "diabetes", "digits", "iris", "wine")


def from_sklearn(reference: Reference, entry: DataEntry, folders: Sequence[Path]) -> DataTable:
    """Return a bundled data set; its target is the column `target`, with names for classes."""
    import sklearn
    from sklearn import datasets

    name = str(reference)
    if name not in BUNDLED:
        hint = did_you_mean(name, BUNDLED)
        known = ", ".join(BUNDLED)
        raise DataError(
            f"scikit-learn does not include a data set '{name}'{hint}; it has: {known}"
        )
    bunch = getattr(datasets, f"load_{name}")()
    columns = [Feature(str(column)) for column in bunch.feature_names]
    if "target_names" in bunch:
        classes = tuple(str(text) for text in bunch.target_names)
        columns.append(Feature("target", "nominal", classes))
    else:
        columns.append(Feature("target"))
    values = np.column_stack([bunch.data, bunch.target]).astype(np.float64)
    provenance = {"source": "sklearn", "name": name, "version": sklearn.__version__}
    return DataTable(name, tuple(columns), values, provenance)
