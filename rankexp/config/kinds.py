"""What kind of target a problem has, before any data is read or drawn."""

from rankexp import registry
from rankexp.config.schema import Study
from rankexp.metrics.base import Kind

WORDS: dict[Kind, str] = {
    "binary": "two classes",
    "ordinal": "more than two levels",
    "continuous": "a continuous target",
}


def kind_of(study: Study, problem: str) -> Kind | None:
    """Return the kind of a problem's target.

    None where there is no such problem, or it is a generator with parameters that it refuses.
    """
    if problem in study.data:
        levels = study.data[problem].levels
    elif problem in study.generators:
        entry = study.generators[problem]
        try:
            levels = registry.get("generators", entry.generator)(**entry.params).levels
        except (TypeError, ValueError):
            return None  # complained about elsewhere
    else:
        return None
    if levels is None:
        return "continuous"
    return "binary" if len(levels) == 2 else "ordinal"
