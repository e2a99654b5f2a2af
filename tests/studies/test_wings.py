"""A study can be taken away; `make wings` tries it for each."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
import pytest
import wings


@pytest.mark.slow
def test_without_its_wing_a_study_is_refused_and_all_else_works() -> None:
    wings.check("kotlowski2011_theory")


def test_every_wing_belongs_to_a_study() -> None:
    assert wings.wings()
    for wing in {*wings.wings()} - {"leaderboard"}:  # the wing of a verb
        assert (wings.ROOT / "configs" / f"{wing.replace('_', '-')}.yaml").is_file()
