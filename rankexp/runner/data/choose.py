"""What becomes of each row and column of a table: target, feature, left out; and its account."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankexp.arrays import Bools
from rankexp.errors import DataError
from rankexp.registry import did_you_mean
from rankexp.runner.config.asking import message, messages
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data import suitable
from rankexp.runner.data.dataset import (
    EXACT,
    DataTable,
    Feature,
    Floats,
    Ints,
    called,
    in_words,
    key_of,
    large,
    number_text,
)
from rankexp.runner.data.readers.numbers import USUAL
from rankexp.runner.data.reading import EMPTY, FREQUENT, LEVELS, Column, Layout, Reading, Role
from rankexp.runner.data.suitable import ascends, called_sums, of_groups, totals

NO_WORDS = {"?", EMPTY}
SEED = 0  # of the sample
Levels = Sequence[tuple[str, int]]


@dataclass(frozen=True)
class Chosen:
    """The columns of a table with their roles, and the rows that have a target.

    `rows` are their numbers in the table, from 1; the first `first` are of the first of two files.
    `unfit` says why columns are left out, `doubtful` are kept all the same.
    """

    columns: list[Feature]
    values: Floats
    rows: Ints
    without_target: int
    roles: list[Role]
    unfit: dict[int, suitable.Unfit]
    doubtful: list[int]
    first: int | None = None
    drawn_from: int = 0  # rows with a target that they were drawn from; 0: all are there

    def place(self, at: int) -> str:
        """Return in words which row of the file a row is."""
        row = int(self.rows[at])
        if self.first is None or row <= self.first:
            return f"row {row}"
        return f"row {row - self.first} of the test file"

    def of(self, role: Role) -> list[int]:
        """Return which columns have a role."""
        return [j for j, given in enumerate(self.roles) if given == role]

    def only(self, role: Role) -> tuple[Feature, Floats] | None:
        """Return the one column of a role with its values, if there is one."""
        return next(((self.columns[j], self.values[:, j]) for j in self.of(role)), None)

    def reading(self, table: DataTable, levels: Levels | None, parts: Levels = ()) -> Reading:
        """Return the account of what was read; levels of the target and parts with their rows."""
        layout = table.layout or Layout(str(table.provenance.get("source", "")))
        target = self.only("target")
        return Reading(
            file=table.name,
            layout=layout,
            rows=len(self.rows),
            without_target=self.without_target,
            drawn_from=self.drawn_from,
            columns=tuple(self._column(j) for j in range(len(self.columns))),
            target=target and target[0].name,
            levels=tuple((in_words(name), count) for name, count in levels or ()),
            parts=tuple(parts),
            width=sum(suitable.coded_width([self.columns[j] for j in self.of("feature")])),
            warnings=(*layout.notes, *self._warnings(layout, levels)),
            in_order=tuple(self._in_order(layout)),
            totals=() if self.first is not None else tuple(self._totals()),
        )

    def _totals(self) -> Iterator[tuple[str, str]]:
        last = list(totals(self.columns, self.values))
        for at, own in last:
            place = f"{self.place(at)} of {len(self.rows) + self.without_target:,}"
            yield f"{place} holds", f", in {', '.join(repr(name) for name in own[:5])}"
        for which, rows in called_sums(self.columns, self.values):
            if rows > len(last):  # not those alone
                yield f"rows {which} ({rows:,}) seem to hold", ""

    def _in_order(self, layout: Layout) -> Iterator[tuple[str, bool]]:
        for column, values, role in zip(self.columns, self.values.T, self.roles, strict=True):
            timed = column.name in layout.dates
            if column.kind == "numeric":  # a time or a meter, but no index
                timed |= bool(called("moments", column.name)) or not suitable.whole(values)
            if timed and role != "target" and len(values) >= suitable.FEWEST_ROWS:
                way = ascends(column, values)
                yield from [(column.name, way)] if way is not None else []

    def _column(self, j: int) -> Column:
        column, role, values = self.columns[j], self.roles[j], self.values[:, j]
        kind, why = self.unfit.get(j, (column.kind, ""))
        known = values[~np.isnan(values)]
        missing = len(values) - len(known)
        why = why if role == "left out" else ""
        if column.kind == "numeric":
            ends = (float(known.min()), float(known.max())) if len(known) else (None, None)
            return Column(column.name, kind, role, why, missing, 0, (), *ends)
        counts = np.bincount(known.astype(int), minlength=len(column.categories))
        most = np.argsort(-counts, kind="stable")[:FREQUENT]
        frequent = tuple((column.categories[k], int(counts[k])) for k in most if counts[k])
        return Column(column.name, kind, role, why, missing, int((counts > 0).sum()), frequent)

    def _warnings(self, layout: Layout, levels: Levels | None) -> list[str]:
        target, out = self.only("target"), self.of("left out")
        values = np.unique(target[1]) if target and levels is None else np.empty(0)
        known = {
            "marks": [f"{m} ({n:,})" for m, n in layout.marks.items() if m not in NO_WORDS],
            "usual": sorted(USUAL.intersection(layout.marks) - NO_WORDS),
            "ends": [*map(number_text, values)] if len(values) == 2 else [],
            "doubtful": [self.columns[j] for j in self.doubtful],
            "fit": any(self.unfit[j][0] not in ("empty", "text", "constant") for j in out),
        }
        return messages("table", chosen=self, target=target and target[0].name, out=out, **known)


def choose(table: DataTable, entry: DataEntry, target: str | None) -> Chosen:
    """Give the columns of a table their roles and leave out rows without a target."""
    columns, values = _recode(table, entry)
    names = [column.name for column in columns]
    roles: list[Role] = ["feature"] * len(columns)
    for wanted in entry.drop:
        roles[column_index(names, wanted, "drop")] = "dropped"
    named_so = {role: getattr(entry, role) for role in ("groups", "weights", "part", "time")}
    for role, named in (*named_so.items(), ("target", target)):
        if named is not None:
            roles[column_index(names, named, role)] = role  # type: ignore[call-overload]
    rows = np.arange(1, len(values) + 1)
    for at in (j for j, role in enumerate(roles) if role == "target"):
        known = ~np.isnan(values[:, at])
        if not known.any():
            raise DataError(f"target '{names[at]}' has no values")
        if not known.all():
            rows, values = rows[known], values[known]
    without, drawn_from = len(table.values) - len(rows), 0
    if entry.rows is not None and entry.rows < len(rows):
        drawn_from, drawn = len(rows), _drawn(table, rows, values, roles, entry.rows)
        rows, values = rows[drawn], values[drawn]
    found, doubtful = _unfit(table, entry, columns, values, roles)
    for j in found:
        roles[j] = "left out"
    return Chosen(columns, values, rows, without, roles, found, doubtful, table.first, drawn_from)


def _drawn(table: DataTable, rows: Ints, values: Floats, roles: list[Role], most: int) -> Bools:
    """Return which rows are drawn, the parts and the target's values in their shares."""
    parts = [] if table.first is None else [np.asarray(rows <= table.first, dtype=np.float64)]
    keys = [own for own, role in zip(values.T, roles, strict=True) if role in ("part", "target")]
    groups = next((values[:, j] for j, role in enumerate(roles) if role == "groups"), None)
    drawn = sample([*parts, *keys] or [np.zeros(len(rows))], groups, most)
    counts = [(len(np.unique(key[drawn])), len(np.unique(key))) for key in keys]
    if any(left < there <= LEVELS for left, there in counts):
        raise DataError(message("data.undrawn", most=most, all=len(rows)))
    return drawn


def sample(keys: Sequence[Floats], groups: Floats | None, most: int) -> Bools:
    """Return which rows are drawn, at most so many: of groups, whole ones, but at least one.

    In order of the first key, then the next, and at random, rows are taken at equal steps: values
    keep their shares.
    """
    rng, n = np.random.default_rng(SEED), len(keys[0])
    if groups is None:
        order = np.lexsort((rng.random(n), *keys[::-1]))
        drawn = np.zeros(n, dtype=bool)
        drawn[order[((np.arange(most) + 0.5) * n / most).astype(np.int64)]] = True
        return drawn
    _, codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    mixed = rng.permutation(len(sizes))
    return np.isin(codes, mixed[: max(1, int((np.cumsum(sizes[mixed]) <= most).sum()))])


def _unfit(
    table: DataTable, entry: DataEntry, columns: list[Feature], values: Floats, roles: list[Role]
) -> tuple[dict[int, suitable.Unfit], list[int]]:
    """Return the columns that are left out, and doubtful ones; or refuse, if the entry says so."""
    names = [column.name for column in columns]
    wanted = {column_index(names, name, "keep") for name in entry.keep}
    wanted |= {column_index(names, name, "nominal") for name in entry.nominal}
    of_file = table.provenance.get("source") in ("file", "shipped")
    act = entry.identifiers or ("drop" if of_file else "keep")
    labels = table.layout.labels if table.layout else ()
    found: dict[int, suitable.Unfit] = {}
    doubtful = []
    for j, column in enumerate(columns):
        own, is_feature = values[:, j], roles[j] == "feature"
        reason = suitable.unfit(column, own, table.layout) if is_feature else None
        if reason is None and is_feature and act == "drop_groups" and j not in wanted:
            known = "groups" in (*roles, *(kind for kind, _ in found.values()))
            reason = suitable.constant(own) or of_groups(column, own, known=known)
        out = (act != "keep" or column.name in labels) and j not in wanted
        if reason and (reason[0] == "empty" or out):
            found[j] = reason
        elif is_feature and act != "keep" and j not in wanted:
            doubtful += [j] if suitable.dubious(column, own) else []
    if all(role != "feature" or j in found for j, role in enumerate(roles)):
        found = {j: reason for j, reason in found.items() if reason[0] != "constant"}
    named = [f"'{names[j]}': {why}" for j, (kind, why) in found.items() if kind != "empty"]
    if named and act == "refuse":
        raise DataError(message("data.unfit", named=named))
    return found, doubtful


def column_index(names: Sequence[str], wanted: str, role: str) -> int:
    """Return where a column is; ``columnN`` is the N-th where none has this name."""
    if wanted in names:
        return names.index(wanted)
    number = wanted.removeprefix("column")
    if wanted.startswith("column") and number.isdecimal() and 0 < int(number) <= len(names):
        return int(number) - 1
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    hint = did_you_mean(wanted, names) or did_you_mean(wanted, [n.lower() for n in names])
    whole = next((n for n in names if "," in n and wanted in map(str.strip, n.split(","))), None)
    if whole is not None:
        hint = f"; a name that contains commas goes in double quotes: '\"{whole}\"'"
    raise DataError(f"{role}: there is no column '{wanted}'{hint}; the columns are: {shown}")


def _recode(table: DataTable, entry: DataEntry) -> tuple[list[Feature], Floats]:
    columns, values = list(table.columns), table.values
    names = [column.name for column in columns]
    marks: dict[int, set[str | float]] = {}
    for mark, where in entry.missing_codes.items():
        for wanted in where:
            marks.setdefault(column_index(names, wanted, "missing_codes"), set()).add(key_of(mark))
    stated = (*(entry.missing_values or ()), *entry.missing)
    general = {key_of(mark) for mark in stated if mark != ""}
    nominal = {column_index(names, wanted, "nominal") for wanted in entry.nominal}
    numeric = {column_index(names, wanted, "numeric") for wanted in entry.numeric}
    if both := [names[j] for j in sorted(nominal & numeric)]:
        raise DataError(message("data.two_kinds", name=both[0]))
    for j, column in enumerate(columns):
        marked = general | marks.get(j, set())
        if not marked and j not in nominal | numeric:
            continue
        missing = _marked(column, values[:, j], marked)
        if missing.any() or j in nominal | numeric:
            values = values if values is not table.values else values.copy()
            values[missing, j] = np.nan
        if j in nominal and column.kind == "numeric":
            columns[j], values[:, j] = _as_nominal(column, values[:, j])
        if j in numeric and column.kind != "numeric":
            columns[j], values[:, j] = _as_numeric(column, values[:, j])
    return columns, values


def _marked(column: Feature, values: Floats, marks: set[str | float]) -> Bools:
    if column.kind == "numeric":
        return np.isin(values, [mark for mark in marks if isinstance(mark, float)])
    codes = [code for code, text in enumerate(column.categories) if key_of(text) in marks]
    return np.isin(values, codes)


def check_codes(role: str, column: Feature, values: Floats) -> None:
    """Hold that numbers which name things were not rounded: different ones could be equal."""
    if column.kind == "numeric" and large(values).any():
        raise DataError(message("data.rounded", role=role, name=column.name, exact=f"{EXACT:.0f}"))


def _as_nominal(column: Feature, values: Floats) -> tuple[Feature, Floats]:
    check_codes("nominal", column, values)
    distinct, index = np.unique(values, return_inverse=True)
    texts = tuple(number_text(value) for value in distinct[~np.isnan(distinct)])
    return Feature(column.name, "nominal", texts), np.where(np.isnan(values), np.nan, index)


def _as_numeric(column: Feature, values: Floats) -> tuple[Feature, Floats]:
    numbers = [key_of(text) for text in column.categories]
    if words := [text for text in numbers if isinstance(text, str)]:
        raise DataError(f"numeric: column '{column.name}' has values that are none: {words[0]!r}")
    codes = np.where(np.isnan(values), len(numbers), values).astype(np.intp)
    return Feature(column.name), np.array([*numbers, np.nan], dtype=np.float64)[codes]
