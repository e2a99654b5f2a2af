"""What the documentation site adds to the pages of docs/: parts made from the code, and links.

A page says `<!-- made: commands -->` where the part goes. The pages stay readable in a clone, so
links into the repository are turned into links of the site here. Nothing here needs Sphinx.
"""

import inspect
import os
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import site_links
import site_parts

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
RESULTS = ROOT / "results" / "reference"
COPIES = "_files"
MADE = re.compile(r"<!-- made: ([\w-]+) -->")
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
REPORT = re.compile(r"results/reference/([\w-]+)/report\.(?:md|html)")
FIRST = [
    "train_on_pairs",
    "auc_or_log_loss",
    "rank_pairwise",
    "balanced_or_pairs",
    "unbounded_step",
    "hinge_ties",
    "rankboost_log_odds",
    "crowded_top",
    "queries",
    "ties",
    "levels",
    "continuous_target",
    "quicksort",
    "rows_needed",
    "honest_interval",
    "reproduced",
    "gap",
    "own_loss",
    "lightgbm_pairs",
    "partial_dependence",
]
"""Examples in the order of reading; others come after them."""
PARTS: dict[str, Callable[[], str]] = {
    "commands": site_parts.commands,
    "blocks": site_parts.blocks,
    "columns": site_parts.columns,
}


def filled(text: str) -> str:
    """Return the text of a page with its parts that are made from the code."""
    return COMMENT.sub("", MADE.sub(lambda found: PARTS[found[1]](), text))


def fenced(text: str) -> str:
    """Return Markdown with its doctests in fences; to Markdown they would be quotations."""
    lines, inside, shown = [], False, False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            inside = not inside
        if not inside and not shown and line.startswith(">>> "):
            lines.append("```pycon")
            shown = True
        elif shown and not line.strip():
            lines.append("```")
            shown = False
        lines.append(line)
    return "\n".join([*lines, "```"] if shown else lines)


def linked(text: str, page: str, source: Path) -> str:
    """Return Markdown whose links out of docs/ lead to pages of the site, or to copies.

    Parameters
    ----------
    text : str
    page : str
        The page's place below docs/, without suffix.
    source : Path
        The folder that Sphinx reads; copies of files go to its folder `_files`.
    """
    folder = (DOCS / page).parent

    def other(found: re.Match[str]) -> str:
        mark, words, target, _ = found.groups()
        if re.match(r"[a-z]+:|/", target):
            return found[0]
        place = Path(os.path.normpath(folder / target))
        if place.is_relative_to(DOCS) or not place.is_relative_to(ROOT):
            return found[0]
        name = place.relative_to(ROOT).as_posix()
        report = REPORT.fullmatch(name)
        if report and page != f"explanation/studies/{report[1]}":
            return f"[{words}](/explanation/studies/{report[1]}.md)"
        if report and place.with_suffix(".html").exists():
            up = "../" * page.count("/")
            return f'<a href="{up}results/{report[1]}/report.html">{words}</a>'
        if not place.is_file() or place.suffix in {".md", ".html"}:
            same = words.strip("`") == name
            return f"`{name}`" if same else f"{words} (`{name}` in a clone)"
        copy = source / COPIES / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place, copy)
        return f"{mark}[{words}](/{COPIES}/{name})"

    return _outside_fences(text, lambda part: LINK.sub(other, part))


def _outside_fences(text: str, change: Callable[[str], str]) -> str:
    parts = re.split(r"(^```.*?^```[^\S\n]*$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def beside(page: Path) -> list[Path]:
    """Return the files of its own study that a page of results links to."""
    content = site_links.Page()
    content.feed(page.read_text(encoding="utf-8"))
    named = {unquote(urlsplit(link).path) for link in (*content.links, *content.loads)}
    files = {Path(os.path.normpath(page.parent / name)) for name in named if name}
    return sorted(one for one in files if one.is_relative_to(page.parent) and one.is_file())


class GalleryOrder:
    """The order of examples, as sphinx-gallery asks for it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, file: str) -> tuple[int, str]:
        """Return the place of a file, `plot_<name>.py`."""
        name = Path(file).stem.removeprefix("plot_")
        return (FIRST.index(name) if name in FIRST else len(FIRST)), name


def undated(file: Path) -> None:
    """Write an archive again, with the same time for all that is in it."""
    with zipfile.ZipFile(file) as archive:
        content = {one.filename: archive.read(one) for one in archive.infolist()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(content.items()):
            archive.writestr(zipfile.ZipInfo(name), data)


def _read(app: Any, page: str, content: list[str]) -> None:
    if app.env.doc2path(page).suffix == ".md":
        content[0] = linked(fenced(filled(content[0])), page, Path(app.srcdir))


def _math(self: Any, node: Any) -> None:
    from docutils.nodes import SkipNode
    from docutils.utils.math import latex2mathml, unichar2tex

    text = node.astext().translate(unichar2tex.uni2tex_table)
    block = node.tagname == "math_block"
    tree = latex2mathml.tex2mathml(text, as_block=block)
    self.body.append(f'<div class="formula">{tree}</div>' if block else tree)
    raise SkipNode


def _skip(app: Any, kind: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn adds to every estimator for its metadata routing."""
    routing = name == "get_metadata_routing" or re.fullmatch(r"set_\w+_request", name)
    return True if routing else None


def _signature(app: Any, kind: str, name: str, thing: Any, *_: Any) -> tuple[str, None] | None:
    """Return the signature of a class as Python sees it, where a base has one of its own."""
    if kind != "class" or "__new__" in vars(thing):
        return None
    try:
        given = inspect.signature(thing)
    except (TypeError, ValueError):
        return None
    bare = [one.replace(annotation=one.empty) for one in given.parameters.values()]
    return str(inspect.Signature(bare)), None


def _built(app: Any, failed: Exception | None) -> None:
    if failed:
        return
    for page in RESULTS.glob("*/report.html"):
        for file in (page, *beside(page)):
            copy = Path(app.outdir) / "results" / file.relative_to(RESULTS)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    for archive in Path(app.outdir).glob("_downloads/*/*.zip"):
        undated(archive)
    for name in ("_static/webpack-macros.html", ".buildinfo"):
        (Path(app.outdir) / name).unlink(missing_ok=True)


def setup(app: Any) -> dict[str, bool]:
    """Connect what is above to Sphinx."""
    app.connect("source-read", _read)
    app.connect("build-finished", _built)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-signature", _signature)
    app.add_html_math_renderer("mathml", (_math, None), (_math, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
