"""The files of Table 1, where RANKEXP_DATA has them: what was counted in them by hand."""

import numpy as np
import pytest

from rankexp.runner.config.schema import Preprocess
from rankexp.runner.data.build import build, differences
from rankexp.runner.data.preprocess import Preprocessor
from rankexp.runner.data.sources.file import from_file

# file, target, levels (None: continuous), rows, numeric + nominal features, classes, missing
FILES = [
    ("breast-w.arff", "Class", ["benign", "malignant"], 699, 9, 0, [458, 241], 16),
    (
        "breast-cancer.arff",
        "Class",
        ["no-recurrence-events", "recurrence-events"],
        286,
        0,
        9,
        [201, 85],
        9,
    ),
    ("colic.arff", "surgical_lesion", ["no", "yes"], 368, 7, 15, [136, 232], 1927),
    ("colic.ORIG.arff", "pathology_cp_data", [1, 2], 368, 7, 20, [124, 244], 1927),
    ("diabetes.arff", "class", ["tested_negative", "tested_positive"], 768, 8, 0, [500, 268], 0),
    ("haberman.arff", "Survival_status", [1, 2], 306, 2, 1, [225, 81], 0),
    ("heart-h.arff", "num", ["<50", ">50_1"], 294, 6, 7, [188, 106], 782),
    ("hepatitis.arff", "Class", ["DIE", "LIVE"], 155, 6, 13, [32, 123], 167),
    ("ionosphere.arff", "class", ["b", "g"], 351, 34, 0, [126, 225], 0),
    ("vote.arff", "Class", ["democrat", "republican"], 435, 0, 16, [267, 168], 392),
    ("housing.arff", "class", None, 506, 12, 1, None, 0),
    ("credit-g.arff", "class", ["bad", "good"], 1000, 7, 13, [300, 700], 0),
    ("car.arff", "class", ["unacc", "acc", "good", "vgood"], 1728, 0, 6, [1210, 384, 69, 65], 0),
    ("abalone.arff", "Class_Rings", None, 4177, 7, 1, None, 0),
    ("autoMpg.arff", "class", None, 398, 4, 3, None, 6),
    ("cpu.arff", "class", None, 209, 6, 1, None, 0),
    ("machine-cpu.arff", "class", None, 209, 6, 0, None, 0),
    (
        "ERA.arff",
        "class",
        [*range(1, 10)],
        1000,
        4,
        0,
        [92, 142, 181, 172, 158, 118, 88, 31, 18],
        0,
    ),
    ("ESL.arff", "class", [*range(1, 10)], 488, 4, 0, [2, 12, 38, 100, 116, 135, 62, 19, 4], 0),
    ("LEV.arff", "class", [*range(5)], 1000, 0, 4, [93, 280, 403, 197, 27], 0),
    ("SWD.csv", "Out1", [2, 3, 4, 5], 1000, 10, 0, [32, 352, 399, 217], 0),
    (
        "winequality-red.csv",
        "quality",
        [*range(3, 9)],
        1599,
        11,
        0,
        [10, 53, 681, 638, 199, 18],
        0,
    ),
]


@pytest.mark.parametrize("case", FILES, ids=[case[0] for case in FILES])
def test_small_sets(real_data, entry, case):
    file, target, levels, rows, numeric, nominal, classes, missing = case
    declared = entry(
        source={"file": file},
        target=target,
        levels=levels,
        identifiers="keep",
        fingerprint={
            "rows": rows,
            "features": numeric + nominal,
            "classes": classes,
            "missing": missing,
        },
    )
    dataset = build(file, from_file(file, declared, [real_data]), declared)
    assert differences(dataset, declared) == []
    kinds = [feature.kind for feature in dataset.features]
    assert (kinds.count("numeric"), kinds.count("nominal")) == (numeric, nominal)
    made = Preprocessor(Preprocess(), dataset.features).fit(dataset.X).transform(dataset.X)
    assert made.min() == 0
    assert made.max() == 1


@pytest.mark.slow
def test_the_covertype_sample(real_data, entry):
    classes = [33894, 45328, 5721, 439, 1519, 2779, 3282]
    common = {"levels": [*range(1, 8)]}
    common["fingerprint"] = {"rows": 92962, "features": 54, "classes": classes}
    made = []
    for file, target in (
        ("covtype-sample-ramp-test.csv", "Cover_Type"),
        ("covtype-sample92962.data", "column55"),
    ):
        declared = entry(source={"file": file}, target=target, **common)
        table = from_file(file, declared, [real_data])
        assert table is not None
        made.append(build(file, table, declared))
        assert differences(made[-1], declared) == []
    named, bare = made
    assert bare.features[0].name == "column1"
    np.testing.assert_array_equal(named.y, bare.y)
    np.testing.assert_array_equal(named.X[:, 10:], bare.X[:, 10:])
