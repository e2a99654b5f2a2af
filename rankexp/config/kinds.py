"""What kind of target a problem has, before any data is read or drawn."""

from typing import get_type_hints

from rankexp import registry
from rankexp.config.schema import Study
from rankexp.metrics.base import Kind

WORDS: dict[Kind, str] = {
    "binary": "two classes",
    "ordinal": "more than two levels",
    "continuous": "a continuous target",
}


def kind_of(study: Study, problem: str) -> Kind | None:
    """Return the kind of a problem's target; None where there is no such problem.

    A generator's is read off the class of the models that it says it draws.
    """
    if problem in study.data:
        levels = study.data[problem].levels
    elif problem in study.generators:
        try:
            generator = registry.get("generators", study.generators[problem].generator)
            levels = get_type_hints(generator.draw_model)["return"].levels
        except (registry.UnknownNameError, AttributeError, KeyError):
            return None
    else:
        return None
    if levels is None:
        return "continuous"
    return "binary" if len(levels) == 2 else "ordinal"
