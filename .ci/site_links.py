"""Check the documentation site in build/docs as it lies on disk; `make docs-links` runs it.

Every link to a page or file of the site leads somewhere, with its anchor. Nothing is loaded from a
network: scripts, styles, pictures and fonts are files of the site.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).resolve().parents[1] / "build" / "docs"
LOADED = {("script", "src"), ("img", "src"), ("img", "srcset"), ("source", "src")}
LOADED |= {("iframe", "src"), ("source", "srcset"), ("video", "src"), ("object", "data")}
STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what one tag holds."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        for name, value in given.items():
            one = value.split()[0] if name == "srcset" and value else value
            if (tag, name) in LOADED:
                self.loads.append(one)
            elif tag == "link" and name == "href":
                loaded = given.get("rel") not in {"canonical", "index", "next", "prev", "search"}
                (self.loads if loaded else self.links).append(one)
            elif name == "href":
                self.links.append(one)


def pages(site: Path) -> dict[Path, Page]:
    """Return the pages of a site, parsed."""
    found = {}
    for file in sorted(site.rglob("*.html")):
        found[file] = Page()
        found[file].feed(file.read_text(encoding="utf-8"))
    return found


def _target(file: Path, link: str) -> tuple[Path, str] | None:
    """Return the file that a link leads to, and its anchor; none if it leads out of the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = unquote(parts.path)
    return ((file.parent / path).resolve() if path else file), unquote(parts.fragment)


def faults(site: Path) -> list[str]:
    """Return what is wrong with a site, one sentence each."""
    found, wrong = pages(site), []
    for file, page in found.items():
        name = file.relative_to(site)
        for link in sorted({*page.links, *page.loads}):
            place = _target(file, link)
            if place is None:
                if link in page.loads and not link.startswith("data:"):
                    wrong.append(f"{name}: loads {link} from the network")
                continue
            path, anchor = place
            if path.is_dir():
                wrong.append(f"{name}: {link} is a folder, which does not open from disk")
            elif not path.exists():
                wrong.append(f"{name}: {link} leads nowhere")
            elif path in found and anchor not in found[path].anchors:
                wrong.append(f"{name}: {link} has no such anchor")
    for file in sorted(site.rglob("*.css")):
        for groups in STYLE.findall(file.read_text(encoding="utf-8")):
            place = _target(file, "".join(groups))
            if place is None and not "".join(groups).startswith("data:"):
                wrong.append(f"{file.relative_to(site)}: loads {''.join(groups)} from the network")
    return wrong


if __name__ == "__main__":
    if not (SITE / "index.html").exists():
        sys.exit("build/docs has no site: run `make docs` first")
    wrong = faults(SITE)
    print("\n".join(wrong), f"{len(wrong)} faults in {len(pages(SITE))} pages", sep="\n")
    sys.exit(bool(wrong))
