"""Of each kind, a plug-in that is broken is refused, and the message names what is missing."""

import pytest

from rankexp import registry
from rankexp.registry import PluginError, PluginWarning

MODULE = """
from rankexp.losses.loss import Loss, MarginLoss
from rankexp.risks.risk import Risk
from rankexp.runner.protocols.protocol import Protocol
from rankexp.runner.report.options import Choosing

class Half(MarginLoss):
    def of_margin(self, z): return z
    def margin_curvature(self, z): return z

class Lazy(Risk):
    def accepts(self, loss): return None

class Bootstrap(Protocol):
    def places(self): ...
    def size(self): ...
    def parts(self, source, place, *, inner): ...
    def design(self, rows=0): ...
    def words(self): ...

class Empty(Choosing): ...
class Nothing: ...
class Fits:
    def fit(self, X, y): ...
class Scores:
    def predict(self, X): ...
class Levels:
    levels = (0, 1)
def plain(y, scores): ...
def of_points(points): ...
def of_two(model, X): ...
def with_options(model, X, *, base=2, power=3): ...
def needs_n(rng, n): ...
def by_name(rng, *, n=3, problem): ...
"""
WHOLE = "must take ({}), but its parameters are {}"
BROKEN = [
    ("losses", "Half", "Loss subclass Half does not implement: margin_derivative"),
    ("losses", "Loss", "Loss subclass Loss does not implement: curvature, derivative, value"),
    ("losses", "Nothing", "Nothing is not a subclass of rankexp.plugin.Loss"),
    ("losses", "plain", "plain is not a subclass of rankexp.plugin.Loss"),
    ("risks", "Lazy", "Risk subclass Lazy does not implement: solve"),
    ("risks", "Nothing", "Nothing is not a subclass of rankexp.plugin.Risk"),
    ("estimators", "Nothing", "Nothing does not implement: fit, predict or decision_function"),
    ("estimators", "Fits", "Fits does not implement: predict or decision_function"),
    ("estimators", "Scores", "Scores does not implement: fit"),
    ("generators", "Nothing", "Nothing does not implement: levels, draw_model"),
    ("generators", "Levels", "Levels does not implement: draw_model"),
    ("metrics", "plain", "plain does not implement: declaration: mark it with @declare(...)"),
    ("theory", "of_points", WHOLE.format("model, X", "(points)")),
    ("theory.thresholds", "of_two", WHOLE.format("model", "(model, X)")),
    ("checks", "needs_n", WHOLE.format("rng", "(rng, n)")),
    ("protocols", "Bootstrap", "Protocol subclass Bootstrap does not implement: training_rows"),
    ("protocols", "Nothing", "Nothing is not a subclass of rankexp.plugin.Protocol"),
    ("keep.curves", "plain", WHOLE.format("X, y, scores", "(y, scores)")),
    ("keep.texts", "of_points", WHOLE.format("model, names", "(points)")),
    ("data.sources", "of_points", WHOLE.format("reference, entry, folders", "(points)")),
    ("run.engines", "Nothing", "Nothing is not a subclass of rankexp.plugin.Cluster"),
    ("diagnostics", "Nothing", "Nothing does not implement: look"),
    ("report.blocks", "Empty", "BlockKind subclass Empty does not implement: output"),
    ("report.blocks", "Nothing", "Nothing is not a subclass of rankexp.plugin.BlockKind"),
]
SOUND = [("theory", "with_options"), ("theory.thresholds", "of_points"), ("checks", "by_name")]


@pytest.fixture(autouse=True)
def others(tmp_path, monkeypatch):
    """Make a module of another package, which is imported anew."""
    (tmp_path / "others_module.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))


def test_each_kind_is_tried():
    assert {group for group, *_ in BROKEN} == set(registry.ROOMS)


@pytest.mark.parametrize(("group", "name", "why"), BROKEN, ids=[f"{b[0]}-{b[1]}" for b in BROKEN])
def test_a_broken_one_is_refused_and_what_is_missing_is_named(plug_in, group, name, why):
    plug_in((group, "theirs", f"others_module:{name}"))
    with pytest.raises(PluginError) as error:
        registry.get(group, "theirs")
    whose = f"{registry.noun(group)} 'theirs' of package 'others_module' cannot be used: "
    assert str(error.value).startswith(whose)
    assert str(error.value).removeprefix(whose).endswith(why)
    with pytest.warns(PluginWarning, match="'theirs' of package"):
        assert "theirs" not in registry.summaries(group)


@pytest.mark.parametrize("group", registry.ROOMS)
def test_what_is_neither_a_class_nor_a_function_is_refused(plug_in, group):
    plug_in((group, "theirs", "others_module:WORD"))
    with pytest.raises(PluginError, match="has no attribute 'WORD'"):
        registry.get(group, "theirs")
    plug_in((group, "theirs", "sys:version_info"))
    with pytest.raises(PluginError, match="is neither a class nor a function"):
        registry.get(group, "theirs")


@pytest.mark.parametrize(("group", "name"), SOUND)
def test_a_sound_one_is_taken(plug_in, group, name):
    plug_in((group, "theirs", f"others_module:{name}"))
    assert registry.get(group, "theirs").__name__ == name


@pytest.mark.parametrize("group", registry.ROOMS)
def test_our_own_things_keep_to_what_others_must(group):
    """Or what a room asks of others would be more than it needs."""
    for name in registry.names(group):
        assert registry.unfit(group, registry.get(group, name)) is None, name
