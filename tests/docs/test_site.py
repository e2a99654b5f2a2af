"""The documentation site: every page is found, and what is made from the code is complete."""

import ast
import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import rankexp
from rankexp import registry

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
ROOMS = sorted(file.parent.name for file in (ROOT / "rankexp").glob("*/__init__.pyi"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
GALLERY = "gallery/index.rst"  # made by `make docs`


@pytest.fixture(scope="module")
def parts() -> ModuleType:
    """Return what makes parts of pages."""
    sys.path.insert(0, str(ROOT / ".ci"))
    try:
        return importlib.import_module("site_parts")
    finally:
        sys.path.remove(str(ROOT / ".ci"))


def toctrees(page: Path) -> list[Path]:
    """Return the pages that the contents of a page name."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for one in found for line in one.splitlines() if line and line[0] != ":"]
    return [(page.parent / f"{line}.md").resolve() for line in lines]


def public(room: str) -> set[str]:
    text = (ROOT / "rankexp" / room / "__init__.pyi").read_text(encoding="utf-8")
    return set(re.findall(r"(\w+) as \1", text))


def test_every_page_is_in_one_contents() -> None:
    named = [one for page in PAGES for one in toctrees(page)]
    made = DOCS / GALLERY.replace(".rst", ".md")
    assert sorted(named) == sorted({*PAGES, made} - {DOCS / "index.md"})


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page as viewers of Markdown make them."""
    heads = re.findall(r"^#+ (.*)", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_links_of_pages_lead_to_files_and_headings() -> None:
    lost = []
    for page in PAGES:
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        for target, anchor in re.findall(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)", text):
            file = (page.parent / target).resolve() if target else page
            if re.match(r"https?:", target) or target.endswith(GALLERY):
                continue
            headless = anchor and file.suffix == ".md" and anchor not in anchors(file)
            if not file.exists() or headless:
                lost.append((page.name, target, anchor))
    assert not lost


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_is_in_the_reference(room: str) -> None:
    text = (DOCS / f"reference/api-{room}.md").read_text(encoding="utf-8")
    (block,) = re.findall(r":toctree: api\n\n(.*?)```", text, re.DOTALL)
    assert set(block.split()) == public(room)


def with_an_example(room: str) -> set[str]:
    """Return what has an example in its docstring, without an import."""
    stub = (ROOT / "rankexp" / room / "__init__.pyi").read_text(encoding="utf-8")
    found = set()
    for module in set(re.findall(r"^from ([\w.]+) import", stub, re.MULTILINE)):
        tree = ast.parse(ROOT.joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8"))
        named = (ast.ClassDef, ast.FunctionDef)
        found |= {
            one.name
            for one in tree.body
            if isinstance(one, named) and ">>>" in (ast.get_docstring(one) or "")
        }
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_has_an_example_that_runs(room: str) -> None:
    """In its docstring, or on the page of its room; both are doctested."""
    page = (DOCS / f"reference/api-{room}.md").read_text(encoding="utf-8")
    lines = "\n".join(re.findall(r"^(?:>>>|\.\.\.) (.*)", page, re.MULTILINE))
    used = set(re.findall(r"\w+", lines))
    assert public(room) <= used | with_an_example(room)


def test_the_names_of_the_package_are_in_the_reference() -> None:
    text = (DOCS / "reference/api.md").read_text(encoding="utf-8")
    assert all(f"\n   {name}\n" in text for name in rankexp.__all__ if name != "__version__")
    assert all(f"api-{room}" in text for room in ROOMS)


def test_commands_are_those_of_the_command_line(parts: ModuleType) -> None:
    text = parts.commands()
    for name, command in parts._command_tree():
        section = text.partition(f"## {name}\n")[2].partition("\n## ")[0]
        assert section, name
        for option in command.params:
            spelled = option.opts if option.param_type_name == "option" else []
            assert all(f"`{one}`" in section for one in spelled), (name, spelled)


def test_commands_on_pages_exist(parts: ModuleType) -> None:
    known = dict(parts._command_tree())
    wrong, count = [], 0
    for page in [*PAGES, ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md"]:
        text = page.read_text(encoding="utf-8")
        shown = [body for kind, body in FENCE.findall(text) if kind == "sh"]
        for line in re.findall(r"^rankexp ([^#\n]*)", "\n".join(shown), re.MULTILINE):
            count += 1
            words = line.split(">")[0].split()
            name = "rankexp " + " ".join(words[: 2 if words[0] in {"data", "results"} else 1])
            options = {
                one for param in getattr(known.get(name), "params", []) for one in param.opts
            }
            given = [word for word in words if word.startswith("--")]
            wrong += [(page.name, line)] * (name not in known or not options.issuperset(given))
    assert count > 20 and not wrong


def test_every_metric_loss_and_risk_has_its_formula() -> None:
    metrics = (DOCS / "reference/metrics.md").read_text(encoding="utf-8")
    losses = (DOCS / "reference/losses.md").read_text(encoding="utf-8")
    pages = {"metrics": metrics, "losses": losses, "risks": losses}
    for room, text in pages.items():
        rows = set(re.findall(r"`(\w+)[^`]*`", text))
        own = {n for n in registry.names(room) if _is_ours(room, n)}
        assert own <= rows, (room, own - rows)


def _is_ours(room: str, name: str) -> bool:
    target = registry.target(room, name)
    return target is not None and target.module.startswith("rankexp.")


def test_every_column_has_a_meaning(parts: ModuleType) -> None:
    text = (DOCS / "reference/columns.md").read_text(encoding="utf-8")
    known = set(re.findall(r"`([^`]+)`", text))
    columns = {parts.pattern(one) for head in parts.heads().values() for one in head}
    assert len(columns) > 150
    assert columns <= known, sorted(columns - known)


def test_yaml_on_the_new_pages_is_yaml() -> None:
    for folder in ("tutorials", "howto", "reference"):
        for page in sorted((DOCS / folder).glob("*.md")):
            for kind, body in FENCE.findall(page.read_text(encoding="utf-8")):
                if kind == "yaml":
                    assert yaml.safe_load(body), page.name


def test_the_first_study_is_as_the_tutorial_says(tmp_path: Path) -> None:
    from rankexp.runner.config.load import load

    text = (DOCS / "tutorials/first-study.md").read_text(encoding="utf-8")
    (study,) = [body for kind, body in FENCE.findall(text) if body.startswith("version: 1")]
    file = tmp_path / "study.yaml"
    file.write_text(study, encoding="utf-8")
    found = load(file)
    (experiment,) = found.experiments.values()
    grids = [len(found.methods[one].lambdas or []) for one in experiment.methods]
    splits = experiment.protocol.repeats * experiment.protocol.folds
    fits = sum(splits * grid * (experiment.inner.folds + 1) for grid in grids)
    assert f"*{splits * len(grids)} records, 0 done, {fits} fits to do*" in text
