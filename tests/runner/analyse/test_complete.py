import itertools
import math

from rankexp.runner.grid import Point
from rankexp.runner.plan import PlanCell
from rankexp.runner.protocols.protocol import Place
from rankexp.runner.run import opened
from rankexp.runner.run.record import Record, RecordRow, RecordRows
from rankexp.runner.spec import SimulateSpec

NAN, INF = float("nan"), float("inf")


def cells(*keys: str) -> list[PlanCell]:
    return [
        PlanCell(key, "e", "p", "m", SimulateSpec(0, "m", {}, Point(()), Place(rep=i)))
        for i, key in enumerate(keys)
    ]


def test_every_cell_is_counted_once_by_what_became_of_it() -> None:
    records = {
        "ok": Record("ok", rows=[RecordRow("test", 0, None, None, "auc", 0.5)]),
        "nan": Record("nan", rows=[RecordRow("test", g, None, None, "auc", NAN) for g in (0, 1)]),
        "inner": Record("inner", rows=[RecordRow("inner", 0, None, None, "auc", NAN)]),
        "bad": Record("bad", status="failed", reason="singular"),
        "slow": Record("slow", status="timeout", reason="over 10 s"),
        "warned": Record("warned", warnings=["ConvergenceWarning: a", "ConvergenceWarning: b"]),
    }
    counts = opened.completeness(cells(*records, "absent"), records)
    count = counts["e", "p", "m"]
    assert (count.expected, count.ok, count.missing) == (7, 4, 1)
    assert (count.failed, count.timeout, count.skipped) == (1, 1, 0)
    assert (count.nan, count.warned) == (1, 1)
    assert count.categories == {"ConvergenceWarning": 1}
    assert count.reasons == {"singular": 1, "over 10 s": 1}
    assert opened.shortfall(count) == (
        "INCOMPLETE: 4 of 7 records are good (1 missing, 1 failed, 1 timeout)"
    )


def test_undefined_values_do_not_make_a_run_incomplete() -> None:
    record = Record("a", rows=[RecordRow("test", 0, None, None, "auc", NAN)])
    count = opened.completeness(cells("a"), {"a": record})["e", "p", "m"]
    assert count.nan == 1 and count.complete and opened.shortfall(count) is None


def test_records_that_were_read_are_counted_like_those_that_were_made() -> None:
    values = ((NAN, "test"), (0.5, "test"), (NAN, "inner"), (INF, "test"))
    for taken in itertools.product(values, repeat=2):
        for group in (None, "query"):
            rows = [RecordRow(part, 0, None, group, "auc", value) for value, part in taken]
            for evaluated in (True, False):
                count, read = opened.Count(), opened.Count()
                count.add(Record("a", rows=rows), evaluated=evaluated)
                read.add(Record("a", rows=RecordRows(rows)), evaluated=evaluated)
                lost = any(math.isnan(v) and p == "test" for v, p in taken)
                assert count == read and read.nan == (lost and (group is None or not evaluated))
    opposite = [RecordRow("test", 0, None, None, "auc", value) for value in (INF, -INF)]
    (own := opened.Count()).add(Record("a", rows=RecordRows(opposite)))
    assert own.nan == 0, "their sum is undefined, and neither of them is"


def test_totals_add_numbers_and_counters() -> None:
    one = opened.Count(expected=2, ok=1, failed=1)
    one.reasons["x"] = 1
    total = opened.total([one, one])
    assert (total.expected, total.ok, total.failed, total.reasons["x"]) == (4, 2, 2, 2)
    assert (one.expected, one.reasons["x"]) == (2, 1)


def test_versions_are_counted() -> None:
    records = [Record("a", version="0.1"), Record("b", version="0.2"), Record("c", version="0.1")]
    assert opened.versions(records) == {"0.1": 2, "0.2": 1}
