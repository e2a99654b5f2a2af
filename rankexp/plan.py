"""From a study and facts about its data to the records it needs and the jobs that make them."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DataFacts:
    """What planning has to know of a data set.

    Attributes
    ----------
    rows : int
    fingerprint : str
        SHA-256 of its content.
    snapshot : str
        File that workers load it from.
    """

    rows: int
    fingerprint: str
    snapshot: str


@dataclass(frozen=True)
class Cell:
    """One record that the study needs: a split with a method and its whole grid.

    Attributes
    ----------
    key : str
        SHA-256 of what determines the record; never the experiment's name.
    experiment, problem, method : str
        Names in the study; a `simulate` cell has the check as its problem and method.
    model, rep, fold : int or None
        Place in the protocol; `rep` counts training sets, repeats or repetitions.
    spec : dict
        Everything a worker needs, in JSON's types.
    """

    key: str
    experiment: str
    problem: str
    method: str
    model: int | None
    rep: int | None
    fold: int | None
    spec: dict[str, Any]
