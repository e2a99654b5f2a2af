"""Reports are steered by values: no module reads what another one says."""

import ast
from pathlib import Path

import rankexp
from rankexp.runner.report.model import Output
from rankexp.statistics.verdicts import Kind, Lack, Note, Refusal

RUNNER = Path(rankexp.__file__).parent / "runner"
READING = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition"}
READING |= {"split", "rsplit", "splitlines", "find", "replace"}
OWN = {
    "analyse/select.py": "a rule as a study writes it",
    "compare/methods.py": "an import path that a user gave",
    "compare/study.py": "the study file that compare itself wrote",
    "report/blocks/summary.py": "a study's words, with the place of a number",
    "report/blocks/tables/claims.py": "the study and the block that a claim names",
    "compare/pilot.py": "an import path",
    "compare/question.py": "numbers within the values of a target",
    "compare/results.py": "an import path, and the ending of a file",
    "report/ledger.py": "the name of a quantity",
    "report/blocks/figures/simulation_along.py": "the name of a quantity, and its axis's",
    "report/build.py": "the ending of a quick study's name",
    "report/runs.py": "hashes among what sources say",
}


def _reads(file: Path) -> set[int]:
    """Return the lines on which a text is searched, cut or changed."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            words = node.left.value if isinstance(node.left, ast.Constant) else None
            if isinstance(words, str) and " " in words:
                found.add(node.lineno)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            if of_re or (node.func.attr in READING and not node.keywords):
                found.add(node.lineno)
    return found


def test_no_module_reads_the_words_of_another() -> None:
    rooms = [RUNNER / name for name in ("analyse", "compare", "report")]
    files = [file for room in rooms for file in room.rglob("*.py")]
    names = {file.relative_to(RUNNER).as_posix(): file for file in files}
    found = {name for name, file in names.items() if _reads(file) and "/render/" not in name}
    assert found == set(OWN)


def test_what_reaches_the_page_is_told_by_its_kind() -> None:
    """Rewording all notes changes none of what is shown."""
    notes = [Note(kind, f"Warning, refused: {kind}") for kind in Kind]
    for reworded in (notes, [Note(note.kind, f"Achtung {i}") for i, note in enumerate(notes)]):
        output = Output(notes=[*reworded, "Warning: refused"])
        assert output.warnings == [reworded[1].text] and len(output.texts) == 5


def test_only_what_the_policy_refuses_warns() -> None:
    assert [Refusal("why", "p", lack).kind for lack in Lack] == [
        Kind.REASON,
        Kind.REASON,
        Kind.WARNING,
    ]
    assert str(Refusal("why")) == "no test: why" and str(Refusal(lack=Lack.RUN)) == "not run"
