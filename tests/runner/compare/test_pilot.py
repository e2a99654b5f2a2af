"""What a fit costs is told from fits on small parts, side by side as those of the run are."""

import os
from typing import Any

import pytest

from rankexp.runner.compare.pilot import STEEPEST, _law
from rankexp.runner.run.pool import Death
from rankexp.runner.run.workers import side_by_side


def test_a_fixed_part_does_not_grow_with_the_rows() -> None:
    cost = _law([(250, 1.0), (1000, 1.6)])
    assert cost.at(1000) == pytest.approx(1.6)
    assert cost.at(100_000) == pytest.approx(0.8 + 0.8 * 100)
    assert cost.times(0.5).at(100_000) == pytest.approx(cost.at(100_000) / 2)


def test_timings_that_are_the_same_still_grow_by_a_quarter() -> None:
    for earlier in (1.0, 1.3):
        assert _law([(250, earlier), (1000, 1.0)]).at(4000) == pytest.approx(0.75 + 0.25 * 4)


def test_what_grows_faster_than_the_rows_is_a_power_of_them() -> None:
    assert _law([(250, 0.1), (1000, 1.6)]).at(4000) == pytest.approx(1.6 * 16)
    assert _law([(250, 0.001), (1000, 1.6)]).exponent == STEEPEST
    assert _law([(250, 0.5)]).at(1000) == pytest.approx(2.0)


def _ends(code: int | None) -> Any:
    return os.getpid() if code is None else os._exit(code)


@pytest.mark.slow
def test_a_call_that_ends_its_worker_takes_no_other_along() -> None:
    found = side_by_side(_ends, [(None,), (3,), (None,)], 2)
    assert isinstance(found[1], Death)
    assert all(isinstance(pid, int) and pid != os.getpid() for pid in (found[0], found[2]))
