"""The whole study of kotlowski2011 against numbers known to be reachable (make fidelity).

The reference numbers come from an independent implementation: other code, other random streams.
For Table 1: the paper's rule (best mean test result) under two partitions of the data, and the
standard error of ten repeats. For Figure 1: means over 30 models. For the wide grid, the readings
and the learning curves: what a review computed with code of its own.
"""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.fidelity

TABLE1 = {  # oracle on two partitions, SE
    ("breast-w", "exponential"): ((0.0052, 0.0053), 0.0002),
    ("breast-w", "svm-or"): ((0.0051, 0.0053), 0.0002),
    ("breast-w", "logistic"): ((0.0052, 0.0054), 0.0002),
    ("breast-cancer", "exponential"): ((0.2898, 0.2901), 0.0049),
    ("breast-cancer", "svm-or"): ((0.2898, 0.2901), 0.0049),
    ("breast-cancer", "logistic"): ((0.2897, 0.2901), 0.0049),
    ("colic", "exponential"): ((0.1203, 0.1192), 0.0025),
    ("colic", "svm-or"): ((0.1201, 0.1193), 0.0025),
    ("colic", "logistic"): ((0.1208, 0.1199), 0.0025),
    ("diabetes", "exponential"): ((0.1733, 0.1742), 0.0008),
    ("diabetes", "svm-or"): ((0.1716, 0.1728), 0.0008),
    ("diabetes", "logistic"): ((0.1833, 0.1841), 0.0008),
    ("haberman", "exponential"): ((0.3678, 0.3634), 0.0054),
    ("haberman", "svm-or"): ((0.3753, 0.3718), 0.0054),
    ("haberman", "logistic"): ((0.3847, 0.3817), 0.0054),
    ("heart-h", "exponential"): ((0.0851, 0.0865), 0.0017),
    ("heart-h", "svm-or"): ((0.0848, 0.0849), 0.0017),
    ("heart-h", "logistic"): ((0.0919, 0.0936), 0.0017),
    ("hepatitis", "exponential"): ((0.1271, 0.1291), 0.0063),
    ("hepatitis", "svm-or"): ((0.1280, 0.1291), 0.0063),
    ("hepatitis", "logistic"): ((0.1264, 0.1268), 0.0063),
    ("ionosphere", "exponential"): ((0.0716, 0.0756), 0.0017),
    ("ionosphere", "svm-or"): ((0.0795, 0.0812), 0.0017),
    ("ionosphere", "logistic"): ((0.0885, 0.0892), 0.0017),
    ("vote", "exponential"): ((0.0108, 0.0104), 0.0005),
    ("vote", "svm-or"): ((0.0103, 0.0099), 0.0005),
    ("vote", "logistic"): ((0.0106, 0.0097), 0.0005),
}
REVIEW = {  # 8 repeats of 10 folds by a review's own code: exponential, SVM-OR, logistic
    "breast-w": ((0.0056, 0.0002), (0.0056, 0.0002), (0.0056, 0.0002)),
    "breast-cancer": ((0.2864, 0.0047), (0.2864, 0.0047), (0.2864, 0.0047)),
    "colic": ((0.1174, 0.0025), (0.1180, 0.0021), (0.1187, 0.0021)),
    "diabetes": ((0.1745, 0.0012), (0.1721, 0.0014), (0.1846, 0.0013)),
    "haberman": ((0.3612, 0.0085), (0.3676, 0.0089), (0.3747, 0.0104)),
    "heart-h": ((0.0859, 0.0017), (0.0848, 0.0018), (0.0918, 0.0021)),
    "hepatitis": ((0.1211, 0.0061), (0.1215, 0.0057), (0.1178, 0.0049)),
    "ionosphere": ((0.0761, 0.0031), (0.0848, 0.0032), (0.0887, 0.0037)),
    "vote": ((0.0102, 0.0003), (0.0108, 0.0006), (0.0096, 0.0003)),
}
FIGURE1 = {  # mean over models, quartiles
    ("linear-50", "exponential"): (0.1222, 0.1185, 0.1247),
    ("linear-50", "svm-or"): (0.1149, 0.1112, 0.1173),
    ("linear-50", "logistic"): (0.1168, 0.1132, 0.1193),
    ("linear-90", "exponential"): (0.1234, 0.1193, 0.1293),
    ("linear-90", "svm-or"): (0.1211, 0.1170, 0.1275),
    ("linear-90", "logistic"): (0.1151, 0.1112, 0.1209),
    ("rules-50", "exponential"): (0.2505, 0.2311, 0.2692),
    ("rules-50", "svm-or"): (0.2490, 0.2296, 0.2686),
    ("rules-50", "logistic"): (0.2494, 0.2300, 0.2686),
    ("rules-90", "exponential"): (0.2334, 0.2151, 0.2536),
    ("rules-90", "svm-or"): (0.2325, 0.2140, 0.2530),
    ("rules-90", "logistic"): (0.2299, 0.2111, 0.2510),
}
SVM_MINUS_LOGISTIC = {"linear-50": -1, "linear-90": 1, "rules-50": -1, "rules-90": 1}
WIDE = {  # nested, SVM-OR minus logistic: mean, and the corrected interval's half
    "diabetes": (0.0008, 0.0034),
    "haberman": (-0.0038, 0.02),
    "heart-h": (-0.0013, 0.009),
    "ionosphere": (0.0072, 0.011),
}
CURVES = {  # SVM-OR minus logistic by the number of training examples
    "linear-50": {100: -0.0027, 300: -0.0046, 1000: -0.0019, 3000: -0.0006},
    "linear-90": {100: 0.0033, 300: 0.0054, 1000: 0.0056, 3000: 0.0032},
    "rules-90": {100: 0.0012, 300: 0.0008, 1000: 0.0030, 3000: 0.0019},
}
EXPERIMENTS = {100: "n-100", 300: "n-300", 1000: "figure1-wide", 3000: "n-3000"}
CODES = {  # SVM-OR, nominals as codes, features unscaled, by the paper's rule: low, high
    "haberman": (0.3202, 0.3230),
    "colic": (0.1323, 0.1323),
    "breast-cancer": (0.2888, 0.2888),
    "heart-h": (0.0952, 0.0952),
}
QUARTILES_TO_SD = 1.349
"""The interquartile range of a normal distribution in standard deviations."""


@pytest.fixture(scope="module")
def folder(run_study: Callable[..., Path]) -> Path:
    """A full run of what is tested, into a folder of its own."""
    names = ["figure1", *EXPERIMENTS.values()]
    if os.environ.get("RANKEXP_DATA"):
        names += ["table1", "wide", "codes", "unscaled-codes", "corners"]
    return run_study("kotlowski2011", *names)


@pytest.fixture(scope="module")
def scores(folder: Path) -> pd.DataFrame:
    frame = pd.read_csv(folder / "scores.csv")
    return frame[(frame.metric == "rank_loss")]


def oracle(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """The grid point with the least mean of each group: a selection written anew, as an oracle."""
    means = frame.groupby([*by, "grid"], as_index=False).value.mean()
    return means.loc[means.groupby(by).value.idxmin()]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("cell", TABLE1, ids="/".join)
def test_table_1_reaches_what_is_reachable(cell: tuple[str, str], scores: pd.DataFrame) -> None:
    needs_data()
    problem, method = cell
    (first, second), se = TABLE1[cell]
    mine = scores[
        (scores.experiment == "table1") & (scores.problem == problem) & (scores.method == method)
    ]
    test = mine[mine.part == "test"]
    reproduced = float(oracle(test, ["problem"]).value.iloc[0])
    combined = se * np.sqrt(1 / 2 + 1 / 2)  # two partitions of ten repeats beside twenty
    assert abs(reproduced - (first + second) / 2) <= 3 * combined + 5e-5


@pytest.mark.timeout(1800)
def test_table_1_meets_what_a_review_computed(scores: pd.DataFrame) -> None:
    """27 cells: all within three standard errors of the difference, nearly all within two."""
    needs_data()
    mine = scores[(scores.experiment == "table1") & (scores.part == "test")]
    best = oracle(mine, ["problem", "method"])
    z = []
    for problem, cells in REVIEW.items():
        for method, (known, se) in zip(("exponential", "svm-or", "logistic"), cells, strict=True):
            at = best[(best.problem == problem) & (best.method == method)].iloc[0]
            own = mine[(mine.problem == problem) & (mine.method == method)]
            repeats = own[own.grid == at.grid].groupby("rep").value.mean()
            spread = repeats.std(ddof=1) / np.sqrt(len(repeats))
            z.append((at.value - known) / np.hypot(se, spread))
    assert np.abs(z).max() <= 3.0
    assert (np.abs(z) <= 2.0).sum() >= 24


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("cell", FIGURE1, ids="/".join)
def test_figure_1_has_the_known_levels(cell: tuple[str, str], scores: pd.DataFrame) -> None:
    problem, method = cell
    mean, low, high = FIGURE1[cell]
    se = (high - low) / QUARTILES_TO_SD / np.sqrt(30)
    mine = scores[
        (scores.experiment == "figure1")
        & (scores.problem == problem)
        & (scores.method == method)
        & (scores.part == "test")
    ]
    best = oracle(mine, ["model"]).value
    assert len(best) == 30
    assert abs(best.mean() - mean) <= 6 * se


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("problem", SVM_MINUS_LOGISTIC)
def test_figure_1_has_the_known_order(problem: str, scores: pd.DataFrame) -> None:
    mine = scores[
        (scores.experiment == "figure1") & (scores.problem == problem) & (scores.part == "test")
    ]
    best = oracle(mine, ["method", "model"]).pivot(index="model", columns="method", values="value")
    difference = best["svm-or"] - best["logistic"]
    se = difference.std(ddof=1) / np.sqrt(len(difference))
    assert SVM_MINUS_LOGISTIC[problem] * difference.mean() > 2 * se
    assert (best["exponential"] - best["logistic"]).mean() > 0
    assert (best["exponential"] - best["svm-or"]).mean() > 0
    assert abs(difference).mean() < 0.01


def nested(scores: pd.DataFrame, experiment: str, problem: str) -> pd.DataFrame:
    """A row a split, a column a method: the test value at the point with the least inner mean."""
    mine = scores[(scores.experiment == experiment) & (scores.problem == problem)]
    keys = ["method", "rep", "fold"]
    inner, test = (mine[mine.part == part] for part in ("inner", "test"))
    chosen = inner.loc[inner.groupby(keys).value.idxmin(), [*keys, "grid"]]
    found = chosen.merge(test, on=[*keys, "grid"])
    return found.pivot(index=["rep", "fold"], columns="method", values="value").dropna()


def corrected(differences: pd.Series) -> float:
    """The standard error of a mean over ten folds, repeated (Nadeau and Bengio, 2003)."""
    return float(differences.std(ddof=1) * np.sqrt(1 / len(differences) + 1 / 9))


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("problem", WIDE)
def test_on_a_wide_grid_the_methods_agree(problem: str, scores: pd.DataFrame) -> None:
    needs_data()
    expected, half = WIDE[problem]
    values = nested(scores, "wide", problem)
    difference = values["svm-or"] - values["logistic"]
    assert abs(difference.mean() - expected) <= half  # other inner folds, the same splits
    assert abs(difference.mean()) <= 2 * corrected(difference)


@pytest.mark.timeout(1800)
def test_over_the_nine_sets_the_difference_is_nil(scores: pd.DataFrame) -> None:
    needs_data()
    problems = dict.fromkeys(problem for problem, _ in TABLE1)
    tables = [nested(scores, "wide", problem) for problem in problems]
    means = np.array([(table["svm-or"] - table["logistic"]).mean() for table in tables])
    i, j = np.triu_indices(len(means))
    assert abs(np.median((means[i] + means[j]) / 2) - -0.0002) <= 0.001  # the pseudo-median


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("problem", CURVES)
@pytest.mark.parametrize("n", EXPERIMENTS)
def test_learning_curves_are_the_known_ones(problem: str, n: int, scores: pd.DataFrame) -> None:
    mine = scores[
        (scores.experiment == EXPERIMENTS[n])
        & (scores.problem == problem)
        & (scores.part == "test")
    ]
    best = oracle(mine, ["method", "model"]).pivot(index="model", columns="method", values="value")
    difference = best["svm-or"] - best["logistic"]
    se = difference.std(ddof=1) / np.sqrt(len(difference))
    assert abs(difference.mean() - CURVES[problem][n]) <= 3 * np.sqrt(2) * se + 5e-5


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("problem", SVM_MINUS_LOGISTIC)
def test_the_order_does_not_depend_on_the_grid(problem: str, scores: pd.DataFrame) -> None:
    found = []
    for experiment in ("figure1", "figure1-wide"):
        mine = scores[
            (scores.experiment == experiment)
            & (scores.problem == problem)
            & (scores.part == "test")
            & scores.method.isin(["svm-or", "logistic", "exponential"])
        ]
        best = oracle(mine, ["method", "model"]).groupby("method").value.mean()
        found.append(list(best.sort_values().index))
    assert found[0] == found[1]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("problem", CODES)
def test_codes_bring_svm_or_near_the_print(problem: str, scores: pd.DataFrame) -> None:
    needs_data()
    experiment = "unscaled-codes"
    mine = scores[
        (scores.experiment == experiment)
        & (scores.problem == problem)
        & (scores.method == "svm-or")
        & (scores.part == "test")
    ]
    low, high = CODES[problem]
    best = oracle(mine, ["problem"])
    se = TABLE1[problem, "svm-or"][1] * np.sqrt(1 + 10 / 4)  # ten repeats there, four here
    assert low - 3 * se <= float(best.value.iloc[0]) <= high + 3 * se


@pytest.mark.timeout(1800)
def test_pairs_gain_nothing_with_the_loss_held(scores: pd.DataFrame) -> None:
    needs_data()
    losses = ("logistic", "exponential", "squared-hinge")
    for problem in dict.fromkeys(problem for problem, _ in TABLE1):
        values = nested(scores, "corners", problem)
        gain = sum(values[f"{loss}-pairs"] - values[loss] for loss in losses) / len(losses)
        assert abs(gain.mean()) < 0.005 and abs(gain.mean()) <= 2.5 * corrected(gain)


def needs_data() -> None:
    """Skip where the files of the data sets are not at hand."""
    if not os.environ.get("RANKEXP_DATA"):
        pytest.skip("set RANKEXP_DATA to a folder with the data sets of Table 1")
