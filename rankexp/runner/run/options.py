"""Options of pandas, scikit-learn and matplotlib, kept apart beside what `apart` knows."""

import pickle
import sys
from functools import reduce
from operator import getitem
from typing import Any, TypeVar

import pandas as pd
import sklearn
from pandas._config import config

from rankexp.runner.run.apart import ALL, SharedSetting

T = TypeVar("T")
MATPLOTLIB = "matplotlib"  # which is loaded by those who need it


def _put_options(before: bytes) -> None:
    given: Any = config
    for name in given._registered_options.keys() - given._deprecated_options.keys():
        value = reduce(getitem, name.split("."), pickle.loads(before))
        if pd.get_option(name) != value:
            pd.set_option(name, value)


def _matplotlib() -> dict[str, T]:
    """Return the parameters of matplotlib, its backend among them, once it is loaded."""
    module = sys.modules.get(MATPLOTLIB)
    return dict(dict.items(module.rcParams)) if module else {}


def _put_matplotlib(before: dict[str, T]) -> None:
    import matplotlib as mpl

    dict.update(mpl.rcParams, before or mpl.rcParamsOrig)  # type: ignore[misc]


ALL += [
    SharedSetting(lambda: pickle.dumps(pd.options.d), _put_options),
    SharedSetting(sklearn.get_config, lambda given: sklearn.set_config(**given)),
    SharedSetting(_matplotlib, _put_matplotlib),
]
