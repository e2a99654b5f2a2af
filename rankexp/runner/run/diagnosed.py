"""What the diagnostics say of a study's data, for the manifest."""

from functools import lru_cache

from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.data.snapshot import load_snapshot
from rankexp.runner.diagnostics.alone import Alone, best_alone
from rankexp.runner.diagnostics.diagnostic import Finding, Table, before
from rankexp.runner.protocols.dividing import Dividing
from rankexp.runner.run.prepare import DataFound


def diagnose(study: Study, found: DataFound) -> None:
    """Add to what is known of data sets their best column and what the diagnostics say."""
    for name, facts in found.facts.items():
        findings, alone = _findings(facts.snapshot, parted=_parted(study, name))
        said = {"findings": [vars(one) for one in findings]} if findings else {}
        found.provenance[name] |= said | ({"alone": vars(alone)} if alone else {})


def _parted(study: Study, problem: str) -> bool:
    """Whether random splits of a data set may part rows that are equal."""
    setups = [one for one in study.experiments.values() if isinstance(one, Evaluate)]
    used = (one.protocol for one in setups if problem in one.problems)
    return any(isinstance(own, Dividing) and own.together == "none" for own in used)


@lru_cache(maxsize=32)
def _findings(snapshot: str, *, parted: bool) -> tuple[list[Finding], Alone | None]:
    dataset = load_snapshot(snapshot)
    if dataset.reading is None:
        return [], None
    alone = best_alone(dataset)
    return before(Table(dataset.reading, dataset, alone, parted=parted)), alone
