"""What a run lacks of some experiments: data sets, whole experiments, records; then in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankexp.runner.analyse import complete
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.numbers import listed


@dataclass(frozen=True)
class Absent:
    """What there is not of some experiments.

    Attributes
    ----------
    sets : int
        Data sets that the experiments name.
    data : list of str
        Labels of those of which nothing was run, as they were not found.
    idle : list of str
        Experiments of which nothing was run, though their data need not be missing.
    begun : list of str
        Experiments of which some records are missing or not good, with their counts.
    """

    sets: int
    data: list[str]
    idle: list[str]
    begun: list[str]

    def words(self) -> list[str]:
        """Return a sentence, without its stop, for each kind of thing that is not here."""
        lost, several = len(self.data), len(self.idle) > 1
        found = f"{lost} of the {self.sets} data sets {'are' if lost > 1 else 'is'} missing"
        found = f"none of the {self.sets} data sets is available" if lost == self.sets else found
        said = [f"{found}: {', '.join(self.data)}"] if self.data else []
        if self.sets == lost == 1:
            said = [f"the data set {self.data[0]} is missing"]
        if self.idle:
            what = "experiments" if several else "experiment"
            said.append(f"the {what} {listed(self.idle)} {'were' if several else 'was'} not run")
        return said + [f"of the experiment {text}" for text in self.begun]


def absent(context: Context, names: Iterable[str]) -> Absent:
    """Return what a run lacks of experiments, which the study need not have."""
    known = list(dict.fromkeys(names))
    setups = {n: context.study.experiments[n] for n in known if n in context.study.experiments}
    problems = dict.fromkeys(p for setup in setups.values() for p in setup.problems)
    sets = [name for name in problems if name in context.study.data]
    data = [p for p in sets if context.missing_data(p) is not None and not ran(context, setups, p)]
    idle = [
        name
        for name in known
        if name not in setups
        or not (
            context.ran(name) or (setups[name].problems and {*setups[name].problems} <= {*data})
        )
    ]
    totals = {name: context.total(name) for name in setups if name not in idle}
    begun = [
        f"{name} {own.ok:,} of {own.expected:,} records are good"
        for name, own in totals.items()
        if not own.complete
    ]
    labels = [f"'{one}'" if "," in one else one for one in map(context.problem_label, data)]
    return Absent(len(sets), labels, idle, begun)


def ran(context: Context, names: Iterable[str], problem: str) -> bool:
    """Whether any of some experiments has a record of a problem."""
    own = {*names}
    counts = (c for (name, p, _), c in context.counts.items() if name in own and p == problem)
    total = complete.total(counts)
    return total.missing < total.expected


def artificial(context: Context, wanted: Iterable[str], used: Iterable[str]) -> bool:
    """Whether experiments that are to have data sets are answered by others without any."""
    data, experiments = context.study.data, context.study.experiments

    def sets(names: Iterable[str]) -> set[str]:
        setups = (experiments[name] for name in names if name in experiments)
        return {p for setup in setups for p in setup.problems if p in data}

    own = list(used)
    return bool(sets(wanted)) and not any(ran(context, own, p) for p in sets(own))


def experiments_of(context: Context, block: str) -> Sequence[str]:
    """Return the experiments of a block of the report; empty for one that there is not."""
    found: list[Block] = [one for one in context.study.report if one.name == block]
    return found[0].experiments if found else []
