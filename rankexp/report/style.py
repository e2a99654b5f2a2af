"""How figures look: readable on paper, safe for colour-blind readers, the same bytes each time."""

from contextlib import AbstractContextManager
from typing import Any

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#F0E442", "#666666"]
"""Okabe and Ito's palette."""

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9.5,
    "axes.labelsize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "pdf.fonttype": 42,
    "path.simplify": False,
}
METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
DPI = 200


def styled() -> AbstractContextManager[None]:
    """Return a context in which matplotlib draws in this style."""
    import matplotlib as mpl

    return mpl.rc_context(STYLE)  # type: ignore[arg-type]
