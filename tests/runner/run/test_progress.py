"""What is said of a run under way."""

import pytest

from rankexp.runner.run import progress as module
from rankexp.runner.run.progress import Progress, duration


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (float("nan"), "unknown"),
        (0.0, "under .01 s"),
        (0.526, ".53 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (200.0, "3 min 20 s"),
        (7500.0, "2 h 5 min"),
    ],
)
def test_times_are_said_in_units_that_fit(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_what_is_left_is_judged_by_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    with Progress(1000, 40.0) as progress:
        now[0] = 30.0
        progress.advance(10, 30.0)  # few fits, but three quarters of the work
        assert (
            "10 of 1,000 fits done, 0 per second; 30 s so far, 10 s left"
            in capsys.readouterr().err
        )
        now[0] = 40.0
        progress.advance(990, 10.0)
    assert (
        capsys.readouterr().err.splitlines()[-1]
        == "1,000 of 1,000 fits done, 25 per second; 40 s so far"
    )


def test_a_quiet_one_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(1, 1.0, quiet=True) as progress:
        progress.advance(1, 1.0)
    assert capsys.readouterr().err == ""
