"""Claims in words: what a file of them may hold, and the line of each fault."""

import pytest

from rankexp.errors import ConfigError
from rankexp.runner.config import claims
from rankexp.runner.config.load import load

STUDY = """\
version: 1
study: t
title: T
seed: 1
claims: said.csv
data: {d: {source: {file: d.csv}, target: y, levels: [a, b]}}
generators: {g: {generator: gaussian}}
methods: {m: {}, k: {}, grid: {lambdas: [1, 2]}}
experiments:
  e:
    problems: [d]
    methods: [m, k]
    protocol: {kind: cross_validation}
    metrics: [rank_loss, auc]
  g: {problems: [d], methods: [m, grid], protocol: {kind: cross_validation}}
  c:
    problems: [g]
    methods: [m, k]
    protocol: {kind: models, models: 3, training_sets: 1, n_train: 20, n_test: 20}
    keep: {curves: [scoring_function], at: {low: 0, high: 1}, fitted: [coef_]}
  s: {kind: simulate, check: hinge_ties}
report: [{block: claims, name: claims}]
"""
HEAD = ",".join(claims.COLUMNS)
GOOD = "a,It is.,p. 1,e,d,rank_loss,,m,k,lower,,,,,"


def row(**changed):
    values = dict(zip(claims.COLUMNS, GOOD.split(","), strict=True)) | changed
    return ",".join(f'"{values[name]}"' for name in claims.COLUMNS)


@pytest.fixture(name="told")
def _told(tmp_path):
    """Return what loading a study with some lines of claims says, or the study."""

    def told(*lines, head=HEAD):
        (tmp_path / "t.yaml").write_text(STUDY)
        (tmp_path / "said.csv").write_text("\n".join((head, *lines)) + "\n", encoding="latin-1")
        try:
            return load(tmp_path / "t.yaml")
        except ConfigError as error:
            return str(error)

    return told


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"problem": "*"},
        {"problem": "over d", "test": "within", "threshold": "0.01"},
        {"test": "best", "reference": ""},
        {"test": "not lower", "threshold": ".01", "rule": "oracle"},
        {"test": "between", "threshold": "0..1", "reference": ""},
        {"test": "always", "threshold": "0", "reference": "auc"},
        {"experiment": "g", "rule": "fixed:lam=1", "method": "grid", "reference": "m"},
        {"experiment": "c", "problem": "g", "metric": "slope(low=0, high=1)"},
        {"experiment": "c", "problem": "g", "metric": "coef_[0,0]", "reference": "coef_[0,1]"},
        {"experiment": "c", "problem": "g", "reference": "bayes"},
        {"experiment": "c", "problem": "g", "metric": "rms(low=0)"},
        {"test": "between", "threshold": "0..inf"},
        {"experiment": "s", "problem": "", "metric": "agreement", "method": ""},
        {"experiment": "", "test": "not tested", "note": "A theorem."},
        {"ours": "true", "see": "claims kotlowski2011-theory/claims"},
    ],
)
def test_what_can_be_tested(told, changed):
    study = told(row(**changed))
    assert not isinstance(study, str), study
    (given,) = claims.rows_of(study)
    assert given["line"] == "2" and claims.parsed(given).claim == "a"


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"experiment": "ee"}, "unknown experiment 'ee' (did you mean 'e'?); known: e, g, c, s"),
        ({"problem": "d dd"}, "unknown problem 'dd' (did you mean 'd'?)"),
        ({"method": "mm"}, "unknown method 'mm' (did you mean 'm'?)"),
        ({"method": ""}, "unknown method ''"),
        ({"metric": "rank_los"}, "unknown metric 'rank_los' (did you mean 'rank_loss'?)"),
        ({"metric": "vus"}, "unknown metric 'vus'"),
        ({"metric": "slope(low=0)"}, "needs curves, but 'e' keeps none 'at' points"),
        ({"reference": "kk"}, "unknown reference 'kk' (did you mean 'k'?)"),
        ({"reference": ""}, "the test 'lower' needs a reference"),
        ({"test": "lowr"}, "unknown test 'lowr' (did you mean 'lower'?); known: lower, higher"),
        ({"test": "not tested"}, "an untested claim needs a reason in 'note'"),
        ({"test": "within"}, "'within' needs a number above 0 as its threshold"),
        ({"test": "within", "threshold": "-1"}, "'within' needs a number above 0"),
        ({"test": "within", "threshold": "0..1"}, "'within' needs a number above 0"),
        ({"test": "between"}, "'between' needs low..high or a number as its threshold"),
        ({"test": "between", "threshold": "1..0"}, "'between' needs low..high"),
        ({"test": "between", "threshold": "1..0.9"}, "'between' needs low..high"),
        ({"test": "always", "threshold": "1..0.9"}, "'always' needs low..high"),
        ({"threshold": "-0.1"}, "'lower' needs a number above 0 as its threshold, got '-0.1'"),
        ({"test": "within", "threshold": "inf"}, "'within' needs a number above 0"),
        ({"test": "within", "threshold": "nan"}, "'within' needs a number above 0"),
        ({"experiment": "c", "problem": "g", "metric": "slope(lo=0)"}, "slope takes numbers"),
        ({"experiment": "c", "problem": "g", "metric": "rms", "reference": "g"},
         "'rms' needs another method as its reference"),
        ({"experiment": "c", "problem": "g", "metric": "rms", "test": "between",
          "threshold": "1", "reference": ""}, "'rms' needs another method as its reference"),
        ({"experiment": "c", "problem": "g", "metric": "coef_", "reference": "bayes"},
         "coef_ is not known for the best scorer"),
        ({"experiment": "s", "metric": "agreement"}, "'s' is a check: it has no methods"),
        ({"experiment": "s", "problem": "", "method": "", "reference": "x y"}, "one reference"),
        ({"threshold": "wide"}, "threshold and share must be numbers"),
        ({"share": "2"}, "share must be above 0 and at most 1, got 2"),
        ({"share": "half"}, "threshold and share must be numbers"),
        ({"rule": "orakle"}, "unknown rule 'orakle' (did you mean 'oracle'?)"),
        ({"experiment": "g", "reference": "grid"}, "so this claim needs a 'rule', such as oracle"),
        ({"claim": " "}, "the column 'claim' is empty"),
        ({"words": ""}, "the first row of 'a' must say the claim in 'words'"),
        ({"ours": "perhaps"}, "ours must be true or false, got 'perhaps'"),
        ({"see": "claim"}, "unknown block 'claim' (did you mean 'claims'?); known: claims"),
        ({"see": "claims kotlowski2011-theory/weight"}, "unknown block 'weight' (did you mean"),
        ({"see": "kotlowski2010/claims"}, "unknown study 'kotlowski2010' (did you mean"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_line(told, changed, message):
    said = told("# a comment, which is a line too", row(claim="b"), row(**changed))
    assert isinstance(said, str)
    assert "said.csv:4: " in said and message in said
    assert "t.yaml:5:9: claims: " in said or "t.yaml:22:18: report[0].block: " in said


def test_a_cell_with_a_line_break_is_told_in_one_line(told):
    said = told(row(test="lower,\nthe next line"))
    assert "said.csv:3: unknown test" in said and "lower, the next line" in said
    assert "\n" not in said
    said = told(row(), head=f'{HEAD},"see\nalso"')
    assert "unknown column 'see also'" in said and "\n" not in said


def test_words_stand_once_and_every_fault_is_told(told):
    study = told(row(), row(words=""))
    assert [claims.parsed(one).words for one in claims.rows_of(study)] == ["It is.", ""]
    said = told(row(test="x"), row(), row(test="y"))
    assert "said.csv:2:" in said and "said.csv:4:" in said and "said.csv:3:" not in said


def test_a_claim_is_tested_or_not(told):
    said = told(row(), row(words="", test="not tested", note="Why not."))
    assert "said.csv:3: 'a' has tested and untested rows: make them two claims" in said


def test_a_claim_is_the_sources_or_ours(told):
    said = told(row(), row(words="", ours="true"))
    assert "said.csv:3: 'a' is 'ours' in some of its rows: make them two claims" in said
    rows = claims.rows_of(told(row(), row(claim="b", ours="true"), row(claim="c", ours="no")))
    assert [claims.parsed(one).ours for one in rows] == [False, True, False]


def test_files_of_earlier_versions_lack_the_columns_ours_and_see(told):
    head, line = HEAD.removesuffix(",ours,see"), row().removesuffix(',"",""')
    (given,) = claims.rows_of(told(line, head=head))
    assert (claims.parsed(given).ours, claims.parsed(given).see) == (False, ())


def test_a_file_that_cannot_be_read_is_told(told, tmp_path):
    assert "said.csv:1: the first line lacks page" in told(row(), head=HEAD.replace(",page", ""))
    misspelt = told(row(), head=HEAD.replace("threshold", "treshold") + ",threshold")
    assert "said.csv:1: the first line has an unknown column 'treshold' (did you" in misspelt
    assert "said.csv:3: more values than columns" in told(row(), row() + ",more")
    assert "said.csv:2: not UTF-8 text" in told(row(words="\xe4"))
    (tmp_path / "said.csv").unlink()
    with pytest.raises(ConfigError, match="claims: no such file"):
        load(tmp_path / "t.yaml")


def test_claims_that_no_block_shows_are_told(told, monkeypatch):
    monkeypatch.setitem(globals(), "STUDY", STUDY.replace("block: claims", "block: paired_table"))
    assert "said.csv:2: no block of the report shows claims: add" in told(row(), row(claim="b"))


def test_spellings_of_one_metric_are_one(told):
    spelt = row(metric="rank_loss(ties=expected)", test="lower", reference="k")
    (given,) = claims.rows_of(told(spelt))
    assert claims.parsed(given).metric == "rank_loss"
    (given,) = claims.rows_of(
        told(row(reference="auc(ties=expected)", test="always", threshold="1"))
    )
    assert claims.parsed(given).reference == ("auc",)
