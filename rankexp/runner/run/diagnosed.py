"""What the diagnostics say of a study's data, for the manifest."""

from dataclasses import dataclass, field
from functools import lru_cache

from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.data.snapshot import load_snapshot
from rankexp.runner.diagnostics.alone import Alone, best_alone
from rankexp.runner.diagnostics.diagnostic import Diagnosis, TableFacts, before
from rankexp.runner.plan import DataFacts
from rankexp.runner.protocols.dividing import Dividing


@dataclass(frozen=True)
class DataDiagnosis:
    """What the diagnostics found in a data set, and the column that ranks best by itself."""

    found: list[Diagnosis] = field(default_factory=list)
    alone: Alone | None = None


def diagnose(study: Study, name: str, facts: DataFacts) -> DataDiagnosis:
    """Return what the diagnostics find in a data set, for the manifest."""
    setups = [one for one in study.experiments.values() if isinstance(one, Evaluate)]
    used = (one.protocol for one in setups if name in one.problems)
    parted = any(isinstance(own, Dividing) and own.together == "none" for own in used)
    return _diagnosis(facts.snapshot, parted=parted)


@lru_cache(maxsize=32)
def _diagnosis(snapshot: str, *, parted: bool) -> DataDiagnosis:
    dataset = load_snapshot(snapshot)
    if dataset.reading is None:
        return DataDiagnosis()
    alone = best_alone(dataset)
    return DataDiagnosis(before(TableFacts(dataset.reading, dataset, alone, parted=parted)), alone)
