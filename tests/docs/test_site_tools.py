"""What makes the pages of the site, checks its links, and checks what is released."""

import email
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CI = ROOT / ".ci"


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(CI))


def tool(name: str):
    return importlib.import_module(name)


def test_doctests_are_fenced_and_other_code_stays() -> None:
    text = "Say:\n\n>>> 1\n1\n\n```python\n>>> 2\n```\n\n>>> 3"
    found = tool("site_pages").fenced(text)
    assert found == (
        "Say:\n\n```pycon\n>>> 1\n1\n```\n\n```python\n>>> 2\n```\n\n```pycon\n>>> 3\n```"
    )


def test_comments_are_left_out() -> None:
    assert tool("site_pages").filled("a\n<!-- hidden\n>>> 1\n-->\nb") == "a\nb"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[see](yaml.md#keys)", "[see](yaml.md#keys)"),
        ("[see](https://example.org)", "[see](https://example.org)"),
        (
            "[see](../results/reference/boosting/report.md)",
            "[see](/explanation/studies/boosting.md)",
        ),
        ("[see](../configs/data/README.md)", "see (`configs/data/README.md` in a clone)"),
        ("[see](../examples/plugin)", "see (`examples/plugin` in a clone)"),
        ("[see](../configs/example.csv)", "[see](/_files/configs/example.csv)"),
        ("```md\n[see](../LICENSE)\n```", "```md\n[see](../LICENSE)\n```"),
    ],
)
def test_links_out_of_the_docs_lead_on(text: str, shown: str, tmp_path: Path) -> None:
    assert tool("site_pages").linked(text, "reports", tmp_path) == shown
    assert ("_files" in shown) == (tmp_path / "_files/configs/example.csv").exists()


def test_what_a_page_of_results_links_to_goes_with_it(tmp_path: Path) -> None:
    page = tmp_path / "study" / "report.html"
    page.parent.mkdir()
    links = ["table%201.csv#top", "gone.csv", "../other.csv", "https://example.org/a.csv", "#here"]
    page.write_text("".join(f'<a href="{link}">x</a>' for link in links))
    for name in ("study/table 1.csv", "study/not-linked.csv", "other.csv"):
        (tmp_path / name).write_text("x")
    assert tool("site_pages").beside(page) == [page.parent / "table 1.csv"]


def test_a_site_with_faults_is_found_out(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#here">b</a><a href="b.html#gone">b</a>'
        '<a href="c.html">c</a><a href="https://example.org">out</a>'
        '<script src="https://example.org/x.js"></script><img src="data:image/png;base64,x">'
        '<a href="../">up</a>'
    )
    (tmp_path / "b.html").write_text('<p id="here">B</p><a href="a.html#top">a</a>')
    (tmp_path / "s.css").write_text("@import 'https://example.org/f.css'; a {b: url(data:x)}")
    assert tool("site_links").faults(tmp_path) == [
        "a.html: ../ is a folder, which does not open from disk",
        "a.html: b.html#gone has no such anchor",
        "a.html: c.html leads nowhere",
        "a.html: loads https://example.org/x.js from the network",
        "s.css: loads https://example.org/f.css from the network",
    ]


def test_a_release_without_a_description_is_found_out() -> None:
    good = "Description-Content-Type: text/markdown\nLicense-Expression: MIT\nLicense-File: L\n"
    good += "Requires-Python: >=3.11\n\n" + "word " * 60
    faults = tool("release").faults
    assert faults(email.message_from_string(good)) == []
    linked = email.message_from_string(good + "[see](docs/yaml.md)")
    assert faults(linked) == ["it has links into the repository"]
    assert len(faults(email.message_from_string("Name: x\n\nshort"))) == 4
