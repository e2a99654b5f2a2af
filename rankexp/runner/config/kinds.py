"""What kind of target a problem has, before any data is read or drawn."""

from rankexp import registry
from rankexp.metrics.base import Kind
from rankexp.runner.config.schema import Study

WORDS: dict[Kind, str] = {
    "binary": "two classes",
    "ordinal": "more than two levels",
    "continuous": "a continuous target",
}


def kind_of(study: Study, problem: str) -> Kind | None:
    """Return the kind of a problem's target; None as for `levels_of`."""
    known = levels_of(study, problem)
    if known is None:
        return None
    return "continuous" if known == 0 else "binary" if known == 2 else "ordinal"


def levels_of(study: Study, problem: str) -> int | None:
    """Return the number of levels of a problem's target, 0 for a continuous one.

    None where there is no such problem, or it is a generator with parameters that it refuses.
    """
    if problem in study.data:
        levels = study.data[problem].levels
    elif problem in study.generators:
        entry = study.generators[problem]
        try:
            levels = registry.get("generators", entry.generator)(**entry.params).levels
        except Exception:
            return None  # a fault that is found elsewhere
    else:
        return None
    return 0 if levels is None else len(levels)
