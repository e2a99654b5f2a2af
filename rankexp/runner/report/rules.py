"""What rules of choice rest on, and whether experiments have it: found before anything runs."""

from collections.abc import Sequence

from rankexp.metrics.metric import Metric
from rankexp.registry import did_you_mean
from rankexp.runner.analyse import select
from rankexp.runner.config.asking import message
from rankexp.runner.config.experiments import metric_of
from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.plan import method_spec


def metrics_of(setup: Evaluate) -> list[Metric]:
    """Return an experiment's metrics, less those that are none, which is complained about."""
    return [metric for metric in map(metric_of, setup.metrics) if metric is not None]


def with_grids(study: Study, setup: Evaluate, methods: Sequence[str] = ()) -> list[str]:
    """Return those of an experiment's methods, or of some of them, that have several points."""
    named = [m for m in setup.methods if m in study.methods and (m in methods or not methods)]
    return [m for m in named if len(method_spec(study.methods[m], setup).points) > 1]


def by_rule(rule: select.Rule, study: Study, experiment: str, methods: Sequence[str] = ()) -> str:
    """Say which settings are taken; nothing where no method has points to choose from."""
    setup = study.experiments[experiment]
    chosen = isinstance(setup, Evaluate) and with_grids(study, setup, methods)
    return f", {'at' if rule.point else 'settings chosen by'} {rule.label}" if chosen else ""


def without_inner(
    rule: select.Rule, study: Study, experiment: str, methods: Sequence[str] = ()
) -> str | None:
    """Say that an experiment has no inner folds where a rule needs them; else None."""
    setup = study.experiments.get(experiment)
    if rule.name != "nested" or not isinstance(setup, Evaluate) or setup.inner is not None:
        return None
    if not (grids := with_grids(study, setup, methods)):
        return None
    return message("report.no_inner", experiment=experiment, grid=grids[0])


def unfounded(rule: select.Rule, study: Study, experiments: Sequence[str]) -> str | None:
    """Say what a rule rests on that these experiments do not have; None where they have it."""
    named = {n: study.experiments[n] for n in experiments if n in study.experiments}
    setups = {name: one for name, one in named.items() if isinstance(one, Evaluate)}
    for name, setup in setups.items():
        if rule.name == "validation" and not setup.protocol.validates:
            return message("report.no_validation", name=name)
        known = list(map(repr, metrics_of(setup)))
        if rule.by is not None and (by := repr(rule.by)) not in known:
            has = f"{did_you_mean(by, known)}; it has: {', '.join(known)}"
            return f"'{name}' has no metric {by} to choose by{has}"
    methods = [(setup, name) for setup in setups.values() for name in setup.methods]
    specs = [method_spec(study.methods[n], setup) for setup, n in methods if n in study.methods]
    points = {point.text for spec in specs for point in spec.points}
    if rule.point is None or rule.point.text in points:
        return None
    return f"no method has the grid point {rule.point}{did_you_mean(rule.point.text, points)}"
