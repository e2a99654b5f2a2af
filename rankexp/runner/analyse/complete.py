"""What is missing from a run: cells without a record, failed ones, NaN, warnings, versions."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rankexp.runner.plan import PlanCell
from rankexp.runner.run.record import Record
from rankexp.runner.spec import EvaluateSpec

Key = tuple[str, str, str]
LONGEST = 300  # most characters of a reason that reports repeat


@dataclass
class Count:
    """How the cells of one experiment, problem and method stand."""

    expected: int = 0
    ok: int = 0
    missing: int = 0
    failed: int = 0
    timeout: int = 0
    skipped: int = 0
    nan: int = 0  # cells that are ok with at least one undefined test value (one class in a fold)
    warned: int = 0  # cells with a warning
    categories: Counter[str] = field(default_factory=Counter)  # cells by category of warning
    reasons: Counter[str] = field(default_factory=Counter)  # cells by reason of not being ok

    @property
    def complete(self) -> bool:
        """Whether every cell expected is ok; undefined values do not make a run incomplete."""
        return self.ok == self.expected

    def add(self, record: Record | None, *, evaluated: bool = True) -> None:
        """Count one cell with its record, if it has one; values of single groups may be NaN."""
        self.expected += 1
        if record is None:
            self.missing += 1
            return
        setattr(self, record.status, getattr(self, record.status) + 1)
        if record.status != "ok":
            reason = record.reason or record.status
            cut = f"{reason[:LONGEST]}... (whole in the records)"
            self.reasons[reason if len(reason) <= LONGEST else cut] += 1
        self.nan += any(
            row.value != row.value
            for row in record.rows
            if row.part == "test" and (row.group is None or not evaluated)
        )
        self.warned += bool(record.warnings)
        self.categories.update(record.warned)


def completeness(cells: Iterable[PlanCell], records: Mapping[str, Record]) -> dict[Key, Count]:
    """Count the cells of each (experiment, problem, method), in the order of the plan."""
    counts: dict[Key, Count] = {}
    for cell in cells:
        count = counts.setdefault((cell.experiment, cell.problem, cell.method), Count())
        count.add(records.get(cell.key), evaluated=isinstance(cell.spec, EvaluateSpec))
    return counts


def total(counts: Iterable[Count]) -> Count:
    """Return the sum of some counts."""
    result = Count()
    for count in counts:
        for name, value in vars(count).items():
            if isinstance(value, Counter):
                getattr(result, name).update(value)
            else:
                setattr(result, name, getattr(result, name) + value)
    return result


def shortfall(count: Count) -> str | None:
    """Say in one line what an incomplete run lacks; None where it is complete."""
    if count.complete:
        return None
    lacks = [
        f"{number} {word}"
        for word in ("missing", "failed", "timeout", "skipped")
        if (number := getattr(count, word))
    ]
    return f"INCOMPLETE: {count.ok} of {count.expected} records are good ({', '.join(lacks)})"


def versions(records: Iterable[Record]) -> dict[str, int]:
    """Return how many records each package version made, by version."""
    return dict(sorted(Counter(record.version for record in records).items()))
