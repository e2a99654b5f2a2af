import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.seeds import stream


def draws(seed, path):
    return stream(seed, path).random(4).tolist()


def test_the_stream_is_fixed_for_good():
    """Changing these numbers changes every published result."""
    expected = [706936970, 4088142259, 3965849404]
    assert stream(2011, "linear-50/model/3/train/7").integers(2**32, size=3).tolist() == expected


def test_another_process_with_another_hash_seed_has_the_same_stream():
    code = "from rankexp.seeds import stream; print(stream(7, 'a/b').random(4).tolist())"
    command = [sys.executable, "-c", code]
    for salt in ("1", "2"):
        out = subprocess.run(
            command, env={"PYTHONHASHSEED": salt}, capture_output=True, text=True, check=True
        )
        assert out.stdout.strip() == str(draws(7, "a/b"))


@given(st.integers(0, 2**64), st.text(max_size=20), st.integers(0, 2**64), st.text(max_size=20))
@settings(max_examples=50)
def test_other_arguments_other_numbers(seed, path, seed2, path2):
    assert (draws(seed, path) == draws(seed2, path2)) == ((seed, path) == (seed2, path2))


def test_streams_are_not_related():
    """Neighbouring places: correlations of 200 streams are those of independent numbers."""
    many = np.array([stream(0, f"x/{i}").standard_normal(500) for i in range(200)])
    correlations = np.corrcoef(many)[np.triu_indices(200, 1)]
    assert np.abs(correlations).max() < 6 / np.sqrt(500)
    assert np.std(correlations) == pytest.approx(1 / np.sqrt(500), rel=0.05)


def test_drawing_from_one_moves_no_other():
    first = stream(1, "a")
    first.random(1000)
    assert draws(1, "b") == stream(1, "b").random(4).tolist()
