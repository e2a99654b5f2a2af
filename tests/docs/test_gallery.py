"""The gallery of examples: each asks a question, draws one figure and ends in what was seen."""

import ast
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "examples" / "gallery"
EXAMPLES = sorted(GALLERY.glob("plot_*.py"))
WIDEST = 68  # characters of code that a page 1,280 pixels wide shows without scrolling
ENGINES = ("lightgbm", "xgboost")

# Runs an example headless; each of its findings is an assertion, and its figure must be drawable.
RUN = """
import runpy, sys
import matplotlib.pyplot as plt
runpy.run_path(sys.argv[1], run_name="__main__")
assert len(plt.get_fignums()) == 1, f"{len(plt.get_fignums())} figures"
axes = plt.gcf().axes
assert all(a.get_xlabel() for a in axes if a.axison), "an x axis without a label"
plt.gcf().canvas.draw()
"""


def texts(source: str) -> list[str]:
    """Return the blocks of text between code: comments that follow a line `# %%`."""
    found = re.findall(r"^# %%\n((?:#.*\n)*)", source, flags=re.MULTILINE)
    return [re.sub(r"^# ?", "", block, flags=re.MULTILINE).strip() for block in found]


def asserts(tree: ast.Module) -> list[ast.Assert]:
    """Return the assertions at the top level."""
    return [node for node in tree.body if isinstance(node, ast.Assert)]


def calls(tree: ast.AST, owner: str, name: str) -> int:
    """Return how often a module's function is called, as in `plt.show()`."""
    found = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return sum(ast.unparse(func) == f"{owner}.{name}" for func in found)


def test_there_are_twenty_examples_and_a_page_above_them():
    assert len(EXAMPLES) == 20
    assert (GALLERY / "README.rst").read_text(encoding="utf-8").startswith("Examples\n========\n")


@pytest.fixture(scope="module", params=EXAMPLES, ids=lambda path: path.stem)
def source(request: pytest.FixtureRequest) -> str:
    return str(request.param.read_text(encoding="utf-8"))


def test_an_example_compiles_and_its_title_is_a_question(source):
    title, line, *rest = (ast.get_docstring(ast.parse(source)) or "").splitlines()
    assert title.endswith("?")
    assert line == "=" * len(title)
    assert rest[0] == "" and len(" ".join(rest).split()) > 20  # what is asked


def test_an_example_draws_one_figure(source):
    tree = ast.parse(source)
    assert calls(tree, "plt", "subplots") == 1
    assert calls(tree, "plt", "show") == 1
    assert calls(tree, "plt", "figure") == calls(tree, "plt", "savefig") == 0
    assert "set_xlabel(" in source
    assert re.search(r"set_ylabel\(|set_yticks\(|yticks=\[\]", source)


def test_a_line_of_an_example_is_as_wide_as_the_page(source):
    wide = [line for line in source.splitlines() if len(line) > WIDEST]
    assert not wide


def test_an_example_ends_in_one_sentence_after_what_backs_it(source):
    tree = ast.parse(source)
    assert asserts(tree)[-1] is tree.body[-1]  # the last code
    *others, last = texts(source)
    assert source.rstrip().endswith(last.splitlines()[-1])
    assert all(others) and last.endswith(".")
    assert not re.search(r"[.?!] [A-Z]", " ".join(last.split()))  # one sentence
    assert re.search(r"\d", last) and len(last.splitlines()) <= 4


def test_an_example_seeds_what_it_draws(source):
    assert not re.search(r"default_rng\(\)|np\.random\.(?!default_rng)", source)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_an_example_says_is_what_it_finds(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for engine in ENGINES:
        used = engine in text or (engine == "lightgbm" and "BoostedRanker" in text)
        if used and find_spec(engine) is None:
            pytest.skip(f"{engine} is not installed")
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error::DeprecationWarning:rankexp", "-c", RUN, str(path)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
