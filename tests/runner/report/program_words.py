"""What must not stand on a page: words of programs, and numbers printed in another way."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib.text

from rankexp.runner.config.schema import Study
from rankexp.runner.report.model import Output
from rankexp.runner.report.options import BlockKind
from rankexp.runner.report.render import markdown

WORDS = (
    "lam|lams|nan|NaN|None|True|False|inf|coef|argmin|iauc|auc|ndcg|mse|dtype|kwargs|params|"
    "n_rounds|max_leaf|loss_regret|rank_regret|rank_loss|p_classification|asymmetric_a|zero_one"
)
"""Words of programs: names of parameters, quantities and values as code writes them."""
PROGRAM = {
    "a word of programs": rf"\b(?:{WORDS})\b",
    "a name of programs": r"\b[A-Za-z]\w*_\w*",
    "a call": r"\b[a-z]+\(\w+=",
    "a parameter": r"(?<![\w.])[A-Za-z]\w*=\S",
    "a power as computers write it": r"\d[eE]\+|\de[-−]0\d",
}
PRINTED = {
    "a leading zero": r"(?<![\w.,:−-])[-−+]?0\.\d(?!\d*\.\d)",
    "a hyphen for a minus": r"(?<![\w)\]])-\.?\d",
}
TYPED = re.compile(r"`[^`]*`|\]\([^)]*\)|--\w+|\b[\w.-]+\.(?:csv|md|png|pdf|tex|bib|py|npz)\b")
NOTATION = re.compile(r"published values:.*|\b(?:[UPHLwθ]_\w+|d_tau|eta_Pair|p_n)\b|RANKEXP_\w+")
"""What stands so in a paper: U_pairs, H_n. And what users type or wrote in a file."""


def found(text: str, patterns: dict[str, str], allowed: frozenset[str] = frozenset()) -> list[str]:
    """Return each program word of a text with what it is."""
    plain = re.sub(r"\\([\\_*<>|\[\]])", r"\1", text)
    for name in sorted(allowed, key=len, reverse=True):
        plain = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", plain)
    plain = NOTATION.sub("", TYPED.sub(" ", plain))
    return [
        f"{what}: '{match.group()}' in '{line.strip()[:200]}'"
        for what, pattern in patterns.items()
        for line in plain.splitlines()
        for match in re.finditer(pattern, line)
    ]


def said(output: Output) -> Iterator[str]:
    """Yield all that a block says: its page, what the report adds, and the words of its figure."""
    yield from (markdown.render(output) or "", output.gist)
    if output.figure is not None:
        yield from (text.get_text() for text in output.figure.findobj(matplotlib.text.Text))


def own_names(study: Study) -> frozenset[str]:
    """Return what the one who wrote a study calls things."""
    named = [study.data, study.generators, study.methods]
    labels = {entry.label for entries in named for entry in entries.values()}
    keys = {key for entries in [*named, study.experiments] for key in entries}
    return frozenset(filter(None, {study.study, *labels, *keys, *(b.name for b in study.report)}))


def watched(build: Callable[..., Output]) -> Callable[..., Output]:
    """Return `BlockKind.build` that fails for a block that says what must not stand on a page."""

    def checked(self: BlockKind, context: Any, block: Any) -> Output:
        output = build(self, context, block)
        own = own_names(context.study)
        wrong = [one for text in said(output) for one in found(text, PROGRAM | PRINTED, own)]
        assert not wrong, (block.block, wrong)
        return output

    return checked
