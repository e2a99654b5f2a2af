"""The frame of figures: labels of any kind, what a run lacks, panels, legends, powers."""

import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import test_continuous_blocks
import test_contrast_map
import test_preference_blocks
import test_theory_blocks
from matplotlib.figure import Figure
from matplotlib.text import Text

from rankexp import registry
from rankexp.charts import frame as figure
from rankexp.charts.letters import LONGEST, inches, literal, wrapped
from rankexp.runner.config.schema import Block
from rankexp.runner.report.build import Report
from rankexp.runner.report.context import Context
from rankexp.runner.spec import EvaluateSpec
from rankexp.studies.clemencon2017.blocks.tree import draw, placed
from rankexp.studies.clemencon2017.texts.tree import TreeNode

HOSTILE = [
    "income >$50K, <$60K",
    r"$\frac{1$ and \undefined",
    "x^2_$",
    "\x1b[31mred\x07\x00",
    "_hidden",
    "two\nlines\tand a tab",
    "日本語 🎉",
    "long " * 60,
    "w" * 300,
    "&<>%#{}~\\",
    "\u202ebackwards",
    " ",
]
BLOCKS: dict[str, tuple[str, str | list[str], dict[str, Any]]] = {
    "boxplots": ("made_up", "boxes", {"reference": "logistic"}),
    "critical_difference": ("made_up", ["boxes", "folds"], {}),
    "scoring_functions": ("continuous", "e", {"windows": [[0.0, 0.5]]}),
    "along": ("made_up", "boxes", {"parameter": "n_train", "reference": "logistic"}),
    "tree": ("continuous", "e", {}),
    "iroc_curves": ("continuous", "e", {}),
    "published_spread": ("continuous", "e", {}),
    "optimum": ("continuous", "e", {"metric": "iauc"}),
    "curves_against_theory": ("theory", ["two", "three"], {}),
    "curves_along": ("theory", "three", {"parameter": "n_rounds"}),
    "region_map": ("theory", "ties", {}),
    "staircase": ("theory", ["stairs", "two"], {}),
    "simulation_along": ("preference", "along", test_preference_blocks.OPTIONS),
    "second_stage": ("preference", "watched", {}),
    "contrast_map": ("made_up", "boxes", test_contrast_map.MAP),
    "loss_curves": ("made_up", "tried", {"losses": ["logistic", "p_classification(p=2)"]}),
}
UNLABELLED = {"region_map", "loss_curves", "second_stage", "contrast_map"}
"""Show no name from a study."""
OF_FORMULAS = {"loss_curves"}
"""Show nothing that is run."""
OF_ONE = {"second_stage"}
"""Show one record, and nothing without."""

ELSEWHERE = {"pairs_or_points", "contrasts", "losses_by_pairs", "regret_bounds", "roc_curve"}
"""Drawn as others here are, of data that the studies here have not."""

Make = Callable[..., Context]


@pytest.fixture(name="contexts", scope="module")
def _contexts(make: Make, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Make]:
    def once(made: Make) -> Make:
        known = cache(made)
        return lambda: replace(known(), shown={}, families={}, _slices={}, _designs={})

    folder = tmp_path_factory.mktemp("preference")
    return {
        "preference": once(lambda: test_preference_blocks.run(folder)),
        "made_up": make,
        "continuous": once(test_continuous_blocks.context),
        "theory": once(test_theory_blocks.context),
    }


def relabelled(context: Context, block: Block, labels: list[str]) -> Context:
    """Return the context of a study with other labels and titles, and one block."""
    count = len(labels)

    def all_of(entries: dict[str, Any], key: str, start: int) -> dict[str, Any]:
        return {
            name: entry.model_copy(update={key: labels[(start + place) % count]})
            for place, (name, entry) in enumerate(entries.items())
        }

    study = context.study
    update = {
        "methods": all_of(study.methods, "label", 0),
        "generators": all_of(study.generators, "label", 1),
        "data": all_of(study.data, "label", 2),
        "experiments": all_of(study.experiments, "title", 3),
        "report": [block],
    }
    return replace(context, study=study.model_copy(update=update))


def block_of(name: str) -> Block:
    _, experiment, options = BLOCKS[name]
    return Block(block=name, name="x", experiment=experiment, options=options)


def texts(drawn: Figure) -> list[str]:
    return [str(text.get_text()) for text in drawn.findobj(Text)]  # type: ignore[arg-type]


def test_all_blocks_with_figures_are_tried() -> None:
    kinds = {name: registry.get("report.blocks", name) for name in registry.names("report.blocks")}
    drawing = {
        name
        for name, kind in kinds.items()
        if {"figure", "Chart"} & vars(sys.modules[kind.__module__]).keys()
    }
    assert drawing - ELSEWHERE == set(BLOCKS)


SAME = {"scoring_functions", "iroc_curves", "curves_against_theory", "curves_along"}
SAME |= {"loss_curves", "published_spread"}
"""Lines and intervals, which are painted as those of `along` and of `optimum` are."""


@pytest.mark.parametrize(
    ("name", "first"),
    [
        pytest.param(name, i, marks=[pytest.mark.slow] * (i > 0 or name in SAME))
        for name in BLOCKS
        for i in range(0, len(HOSTILE), 6)
    ],
)
def test_any_label_is_drawn_as_it_stands(
    contexts: dict[str, Make],
    name: str,
    first: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = "pdf" if first else "png"  # every label in both: the test below
    monkeypatch.setattr(figure, "KINDS", {kind: figure.KINDS[kind]})
    monkeypatch.setattr(figure, "DPI", 50)
    labels = HOSTILE[first:] + HOSTILE[:first]
    context = relabelled(contexts[BLOCKS[name][0]](), block_of(name), labels)
    report = Report(context, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report.write()
    assert (tmp_path / f"x.{kind}").stat().st_size > 1000
    (built,) = report.blocks
    output = built.output
    assert output.figure is not None
    drawn = {re.sub(r"\s", "", text) for text in texts(output.figure)}
    known = {re.sub(r"\s", "", literal(label)) for label in labels[:6]} - {""}
    if name not in UNLABELLED:
        assert any(label in text for label in known for text in drawn)


def test_both_kinds_of_files_show_any_label() -> None:
    with figure.styled(), warnings.catch_warnings():
        warnings.simplefilter("error")
        made, (own,) = figure.panels(1, 1, (5.0, 5.0))
        for place, label in enumerate(HOSTILE):
            own.plot([0, place], label=literal(label))
        own.set_yticks(range(len(HOSTILE)), [literal(label) for label in HOSTILE])
        figure.legend(made)
        files = dict(figure.drawn(made))
    assert files["png"].startswith(b"\x89PNG") and files["pdf"].startswith(b"%PDF")
    (legend,) = made.legends
    assert len(legend.get_texts()) == len(HOSTILE)


@pytest.mark.parametrize("name", sorted(set(BLOCKS) - OF_ONE))
def test_every_figure_says_what_the_run_lacks(
    contexts: dict[str, Make], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figure, "KINDS", {})  # what is said stands in the figure: no files
    context = contexts[BLOCKS[name][0]]()
    shown = [cell for cell in context.cells if cell.experiment in BLOCKS[name][1]]
    evaluated = [cell for cell in shown if isinstance(cell.spec, EvaluateSpec)]
    dropped = (evaluated or shown)[-1].key
    left = {key: record for key, record in context.records.items() if key != dropped}
    study = context.study.model_copy(update={"report": [block_of(name)]})
    made = replace(context, study=study, records=left, _slices={})
    (built,) = Report(made, tmp_path).blocks
    output = built.output
    assert output.figure is not None
    assert any("INCOMPLETE" in text for text in texts(output.figure)) == (name not in OF_FORMULAS)


@pytest.mark.parametrize("label", HOSTILE)
def test_rules_of_trees_are_drawn_as_they_stand(label: str, tmp_path: Path) -> None:
    nodes = [TreeNode(0, 4, f"{label} > 0.5"), TreeNode(1, 1, score=2.0), TreeNode(1, 3, score=1)]
    with figure.styled(), warnings.catch_warnings():
        warnings.simplefilter("error")
        made = draw({label: placed(nodes)})
        figure.finish(made, [])
        made.savefig(tmp_path / "x.png", dpi=50)
    drawn = re.sub(r"\s", "", "".join(texts(made)))
    assert re.sub(r"\s", "", literal(f"{label} > .5")) in drawn


def test_literal_text() -> None:
    assert literal("a $x^2$ \\frac") == "a $x^2$ \\frac"
    assert literal("a\nb\x1bc") == "a b\ufffdc"
    assert literal("日x") == "\ufffdx"
    for letter in "iW":
        cut = literal(letter * 400)
        assert cut.endswith("…") and 0.9 * LONGEST < inches(cut) <= LONGEST
    assert literal("_a").endswith("_a") and not literal("_a").startswith("_")
    assert wrapped("", 1.0) == " "
    for words in ("minus Logistic", "a b c d e f"):
        assert wrapped(words, inches(words)) == words
        assert "\n" in wrapped(words, 0.99 * inches(words))


def test_widths_stay_whatever_is_drawn(tmp_path: Path) -> None:
    before = inches("exponential")
    with figure.styled():
        made, (own,) = figure.panels(1, 1, (3.0, 3.0))
        own.set_title("large", fontsize=30)
        made.savefig(tmp_path / "x.png", dpi=300)
    assert inches("exponential") == before


def test_panels_left_over_are_empty_and_labels_stand_below_the_lowest() -> None:
    with figure.styled():
        made, axes = figure.panels(3, 2, (2.0, 1.0), below=0.5, share="all")
    assert len(axes) == 3 and len(made.axes) == 4
    assert [own.get_visible() for own in made.axes] == [True, True, True, False]
    assert tuple(made.get_size_inches()) == (4.0, 2.5)
    assert [own.xaxis.majorTicks[0].label1.get_visible() for own in axes] == [False, True, True]


def test_parts_of_panels_stand_below_each_other() -> None:
    made, axes = figure.panels(3, 2, (2.0, 1.0), heights=[2.0, 1.0])
    made.draw_without_rendering()
    places = [own.get_position() for own in axes]
    for upper, lower in zip(places[::2], places[1::2], strict=True):
        assert upper.x0 == pytest.approx(lower.x0) and upper.y0 > lower.y0
        assert upper.height == pytest.approx(2 * lower.height, rel=0.1)
    assert places[0].x0 < places[2].x0 and places[0].y0 > places[4].y0


def test_a_legend_has_each_label_once_and_fits_into_the_figure() -> None:
    with figure.styled():
        made, axes = figure.panels(2, 2, (2.0, 2.0), below=0.5)
        for own in axes:
            for place in range(5):
                own.plot([0, 1], label=literal(f"a method with a name, {place}"))
        figure.legend(made)
        made.draw_without_rendering()
        (legend,) = made.legends
        assert len(legend.get_texts()) == 5
        box = legend.get_window_extent()
        assert box.x0 >= 0 and box.x1 <= made.bbox.width


def test_powers_are_written_without_mathematics() -> None:
    with figure.styled():
        made, (own,) = figure.panels(1, 1, (3.0, 3.0))
        own.plot([1, 2], [1e-3, 1e3])
        own.set(yscale="log", ylim=(1e-4, 1e4))
        figure.finish(made, [])
        made.draw_without_rendering()
        labels = [text.get_text() for text in own.get_yticklabels()]
    assert "10⁻²" in labels and "10²" in labels
    assert not [text for text in labels if "$" in text or "{" in text]


def test_remarks_are_wrapped_above_the_panels() -> None:
    with figure.styled():
        made, _ = figure.panels(1, 1, (3.0, 3.0))
        figure.finish(made, ["word " * 40])
    lines = made.get_suptitle().splitlines()
    assert len(lines) > 3 and max(map(inches, lines)) <= 3.0
    assert made.get_figheight() == pytest.approx(3.0 + figure.LINE * len(lines))


def test_axes_have_thousands_and_no_leading_zeros() -> None:
    with figure.styled():
        made = Figure()
        axes = made.subplots()
        axes.plot([0, 4000, 20000], [-0.5, 0.0, 0.5])
        figure.finish(made, [])
        made.draw_without_rendering()
    across = [label.get_text() for label in axes.get_xticklabels()]
    up = [label.get_text() for label in axes.get_yticklabels()]
    assert {"0", "5,000", "10,000"} <= set(across)
    assert all(text.lstrip("−")[0] in ".0" for text in up) and any(t[0] == "−" for t in up)
