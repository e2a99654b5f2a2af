"""Scores of the examples of every split, as a study with ``keep: {scores: true}`` kept them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankexp.errors import ConfigError, one_line
from rankexp.runner.config.asking import message
from rankexp.runner.config.outside import kept
from rankexp.runner.config.schema import Study
from rankexp.runner.plan import PlanCell, cells
from rankexp.runner.run.manifest import facts_of, read_manifest
from rankexp.runner.run.scored import path_of, read
from rankexp.runner.spec import EvaluateSpec

COLUMNS = [
    *("experiment", "problem", "method", "model", "rep", "fold"),
    *("part", "grid", "row", "y", "score"),
]


def scores(
    folder: str | Path,
    experiment: str | None = None,
    problem: str | None = None,
    method: str | None = None,
) -> pd.DataFrame:
    """Return the scores of the test examples of every split, at every grid point.

    Parameters
    ----------
    folder : str or Path
        Folder of the study's results, such as ``results/mine``.
    experiment, problem, method : str, optional
        Those of this name only; by default all that keep scores.

    Returns
    -------
    DataFrame
        One row an example, split, method and grid point, with the columns `COLUMNS`: model, rep
        and fold are missing where the protocol has none; ``part`` is ``test`` or ``validation``;
        ``grid`` is the grid point as in ``scores.csv``; ``row`` is the example's place, from 0,
        in the data set as it was read, or in the part that a generator drew; ``y`` is the target,
        of levels their number from 0, worst first; ``score`` is what the metrics saw, bit by bit,
        before any ``round_scores``.

    Raises
    ------
    ConfigError
        Where the folder has no manifest or no such scores, or a file of them is damaged.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if not manifest:
        raise ConfigError(f"{folder}: it has no manifest.json, so no study was run into it")
    study = Study.model_validate(manifest["study"])
    wanted = {"experiment": experiment, "problem": problem, "method": method}
    found = [
        frame
        for cell in cells(study, facts_of(manifest), code=kept(manifest))
        if all(name in (None, getattr(cell, what)) for what, name in wanted.items())
        for frame in _frames(folder, cell)
    ]
    if not found:
        asked = ", ".join(f"{what} '{name}'" for what, name in wanted.items() if name)
        raise ConfigError(message("report.no_scores", folder=folder, asked=asked))
    return pd.concat(found, ignore_index=True)[COLUMNS]


def _frames(folder: Path, cell: PlanCell) -> Iterator[pd.DataFrame]:
    """Yield the parts of a cell's split; nothing where its scores are not kept."""
    if not isinstance(cell.spec, EvaluateSpec):
        return
    file = path_of(folder, cell.spec.scores_key)
    if not file.is_file():
        return
    try:
        head, arrays = read(file)
    except Exception as error:  # numpy, zipfile and what they call raise nearly anything
        raise ConfigError(f"{file}: {one_line(error)}; delete it and run again") from error
    where = cell.place._asdict()
    place: dict[str, Any] = {name: where[name] for name in ("model", "rep", "fold")}
    for part in head["folds"][0]["parts"]:
        table = arrays[f"0.{part}.scores"]
        count, points = table.shape
        said = {"experiment": cell.experiment, "problem": cell.problem, "method": cell.method}
        frame = pd.DataFrame(
            {
                "row": np.tile(arrays[f"0.{part}.rows"], points),
                "y": np.tile(arrays[f"0.{part}.y"], points),
                "grid": np.repeat(np.array(head["grid"], dtype=object), count),
                "score": table.T.ravel(),
            }
        )
        yield frame.assign(part=part, **said, **place).astype(dict.fromkeys(place, "Int64"))
