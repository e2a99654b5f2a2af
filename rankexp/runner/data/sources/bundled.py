"""Data sets that come with rankexp, in ``configs/data``, or with scikit-learn; no downloads."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankexp.errors import DataError
from rankexp.registry import did_you_mean
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.config.shipped import shipped_data
from rankexp.runner.data.dataset import DataTable, Feature
from rankexp.runner.data.sources import Reference
from rankexp.runner.data.sources.file import read

REGISTER = {"shipped": "from_shipped", "sklearn": "from_sklearn"}
BUNDLED = ("breast_cancer", "diabetes", "digits", "iris", "wine")


def _known(name: str, known: Collection[str], lacks: str) -> str:
    if name not in known:
        text = f"{lacks} a data set '{name}'{did_you_mean(name, known)}"
        raise DataError(f"{text}; it has: {', '.join(known)}")
    return name


def from_shipped(reference: Reference, entry: DataEntry, folders: Sequence[Path]) -> DataTable:
    """Return a data set that comes with rankexp, read as a file of the user would be."""
    known = shipped_data()
    file = known[_known(str(reference), known, "rankexp does not ship")]
    return replace(read(file, entry), provenance={"source": "shipped", "file": file.name})


def from_sklearn(reference: Reference, entry: DataEntry, folders: Sequence[Path]) -> DataTable:
    """Return a bundled data set; its target is the column `target`, with names for classes."""
    import sklearn
    from sklearn import datasets

    name = _known(str(reference), BUNDLED, "scikit-learn does not include")
    bunch = getattr(datasets, f"load_{name}")()
    classes = tuple(str(text) for text in bunch.target_names) if "target_names" in bunch else ()
    target = Feature("target", "nominal" if classes else "numeric", classes)
    columns = [*(Feature(str(column)) for column in bunch.feature_names), target]
    values = np.column_stack([bunch.data, bunch.target]).astype(np.float64)
    provenance = {"source": "sklearn", "name": name, "version": sklearn.__version__}
    return DataTable(name, tuple(columns), values, provenance)
