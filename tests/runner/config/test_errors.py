"""Every kind of broken file: what is said, and the exact place (marked «)."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.errors import ConfigError
from rankexp.runner.config.load import load

HEAD = "version: 1\nstudy: t\ntitle: T\nseed: 1\n"
DATA = "data: {d: {source: {file: d.csv}, target: y, levels: [a, b]}}\n"
GENERATORS = "generators: {g: {generator: linear}}\n"
METHODS = "methods: {m: {}}\n"
RUN = "experiments: {e: {problems: [d], methods: [m], protocol: {kind: cross_validation}}}\n"
GOOD = HEAD + DATA + GENERATORS + METHODS + RUN
NO_RUN = HEAD + DATA + GENERATORS + METHODS


def method(text):
    return HEAD + DATA + "methods: {m: " + text + "}\n" + RUN


def run(text):
    return NO_RUN + "experiments: {e: {problems: [d], methods: [m], " + text + "}}\n"


def data(text):
    return HEAD + "data: {d: {source: {file: d.csv}, target: y" + text + "}}\n" + METHODS + RUN


def block(text):
    return GOOD + "report: [{block: paired_table, name: t, experiment: e" + text + "}]\n"


def compared(options):
    two = GOOD.replace("{m: {}}", "{m: {}, k: {}}").replace("[m]", "[m, k]")
    entry = "block: comparison, name: t, experiment: e, options: {method: m, " + options + "}"
    return two + "report: [{" + entry + "}]\n"


def ordinal(method):
    ranked = data(", levels: [a, b, c]").replace("methods: [m]", "methods: [m], metrics: [vus]")
    return ranked.replace("{m: {}}", "{m: " + method + "}")


LEVELS = ", levels: [a, b]"
CV = "protocol: {kind: cross_validation}"

SHAPE = {
    "not a mapping": ("«- 1\n", "expected a mapping, got a list"),
    "unknown key": (
        GOOD + "«titel: x\n",
        "unknown key 'titel' (did you mean 'title'?); known: version, study",
    ),
    "missing key": ("«" + GOOD.replace("seed: 1\n", ""), "missing key 'seed'"),
    "version": (GOOD.replace("version: 1", "version: «2"), "version: expected one of 1, got 2"),
    "negative": (GOOD.replace("seed: 1", "seed: «-1"), "expected a number of at least 0, got -1"),
    "wrong type": (GOOD.replace("seed: 1", "seed: «many"), "a whole number, got the text 'many'"),
    "text for number": (GOOD.replace("seed: 1", "seed: «'7'"), "(write 7, without quotes"),
    "underscore": (GOOD.replace("seed: 1", "seed: «1_000"), "(write 1000, without quotes"),
    "float for int": (GOOD.replace("seed: 1", "seed: «1.5"), "expected a whole number, got 1.5"),
    "true for int": (GOOD.replace("seed: 1", "seed: «true"), "expected a whole number, got true"),
    "name": (GOOD.replace("study: t", "study: «a b"), "letters, digits"),
    "key name": (
        HEAD + DATA + "methods: {«m x: {}, m: {}}\n" + RUN,
        "methods.m x: a name consists of",
    ),
    "nothing": (GOOD.replace("title: T", "title:«"), "title: expected text, got nothing"),
    "no experiments": (NO_RUN + "experiments: «{}\n", "at least one entry, got an empty mapping"),
    "yes": (
        run("protocol: {kind: cross_validation, stratified: «yes}"),
        "experiments.e.protocol.stratified: expected true or false, got the text 'yes' (YAML 1.2",
    ),
    "protocol kind": (
        run("protocol: {kind: «cross_valdation}"),
        "experiments.e.protocol.kind: expected one of cross_validation, given, models, split, "
        "time, got "
        "the text 'cross_valdation' (did you mean 'cross_validation'?)",
    ),
    "no kind": (run("«protocol: {folds: 3}"), "experiments.e.protocol: missing key 'kind'"),
    "protocol no mapping": (run("protocol: «3"), "expected a mapping, got 3"),
    "protocol key": (
        run("protocol: {kind: cross_validation, «fold: 3}"),
        "experiments.e.protocol: unknown key 'fold' (did you mean 'folds'?); known: kind, repeats",
    ),
    "experiment kind": (
        NO_RUN + "experiments: {e: {kind: «evalute}}\n",
        "did you mean 'evaluate'",
    ),
    "experiment key": (run(CV + ", «lambda: [1]"), "did you mean 'lambdas'?"),
    "folds": (run("protocol: {kind: cross_validation, folds: «1}"), "a number of at least 2"),
    "choice": (run(CV + ", scaling: «means"), "one of mean, sum, got the text 'means' (did you"),
    "empty list": (run(CV + ", lambdas: «[]"), "expected at least one entry, got an empty list"),
    "negative lambda": (run(CV + ", lambdas: [1, «-1e-3]"), "expected a positive number, got -0"),
    "zero lambda": (run(CV + ", lambdas: [«0]"), "lambdas[0]: expected a positive number, got 0"),
    "infinite lambda": (run(CV + ", lambdas: [«.inf]"), "expected a finite number, got .inf"),
    "empty grid": (
        method("{grid: {lam: «[]}}"),
        "methods.m.grid.lam: expected at least one entry",
    ),
    "grid no list": (method("{grid: {lam: «3}}"), "expected a list, got 3"),
    "no source": (
        data("").replace("{file: d.csv}", "«{}"),
        "data.d.source: expected at least one",
    ),
    "source value": (
        data("").replace("d.csv", "«[1]"),
        "expected true or false, a whole number, a number, text or a mapping, got a list",
    ),
    "one level": (data(", levels: «[a]"), "expected at least 2 entries, got a list"),
    "level": (data(", levels: [a, [b, «[c]]]"), "data.d.levels[1][1]: expected"),
    "experiment list": (
        GOOD + "report: [{block: paired_table, name: t, experiment: [«1]}]\n",
        "report[0].experiment[0]: expected text, got 1",
    ),
    "duplicate": (GOOD + "«seed: 3\n", "seed: the key 'seed' occurs twice, first in line 4"),
    "key of a method named like a key": (
        GOOD.replace("{m: {}}", "{params: {«estimatr: x}, m: {}}"),
        "methods.params: unknown key 'estimatr' (did you mean 'estimator'?)",
    ),
    "beyond Unicode": (
        GOOD.replace("title: T", 'title: "\\U«00110000"'),
        "no character has this number",
    ),
    "far beyond Unicode": (
        GOOD.replace("title: T", 'title: "\\U«FFFFFFFF"'),
        "no character has this number",
    ),
    "half a pair": (GOOD.replace("title: T", 'title: «"\\ud800"'), "U+D800 is not allowed"),
    "half a pair as a key": (GOOD + '«"\\udfff": 1\n', "U+DFFF is not allowed"),
    "digits": (
        GOOD.replace("seed: 1", f"seed: «{'1' * 5000}"),
        "seed: expected a number of at most 30 digits, got 1111",
    ),
    "hexadecimal digits": (
        GOOD.replace("seed: 1", f"seed: «0x{'1' * 5000}"),
        "seed: expected a number of at most 30 digits, got 0x11",
    ),
    "python tag": (GOOD + "text: «!!python/name:os.system\n", "'!!python/name:os.system'"),
}

MEANING = {
    "problem": (
        GOOD.replace("problems: [d]", "problems: [«dd]"),
        "experiments.e.problems[0]: unknown problem 'dd' (did you mean 'd'?); known: d, g",
    ),
    "method": (GOOD.replace("methods: [m]", "methods: [«n]"), "unknown method 'n'"),
    "metric": (
        run(CV + ", metrics: [«rank_los]"),
        "unknown metric 'rank_los' (did you mean 'rank",
    ),
    "metric form": (run(CV + ", metrics: ['«rank loss!']".replace("'«", "«'")), "is not a metric"),
    "metric parameter": (run(CV + ", metrics: [«rank_loss(tie=worst)]"), "did you mean 'ties'"),
    "metric twice": (run(CV + ", metrics: [auc, «'auc()']"), "the metric auc occurs twice"),
    "problem twice": (GOOD.replace("problems: [d]", "problems: «[d, d]"), "'d' occurs twice"),
    "generator": (GOOD.replace("linear", "«linaer"), "unknown generator 'linaer' (did you mean"),
    "generator parameter": (
        GOOD.replace("linear", "linear, params: {«P: 0.5}"),
        "generators.g.params.P: generator 'linear' has no parameter 'P' (did you mean 'p'?)",
    ),
    "generator value": (
        GOOD.replace("linear", "linear, params: {p: «2}"),
        "the share of positives",
    ),
    "generator type": (
        GOOD.replace("linear", "linear, params: {p: «half}"),
        "generators.g.params.p: expected a number, got the text 'half'",
    ),
    "two primary blocks": (
        GOOD + "report: [{block: boxplots, name: t, experiment: e, primary: true}, "
        "{block: boxplots, name: u, experiment: e, primary: «true}]\n",
        "report[1].primary: block 't' is primary already, and a study has one primary block",
    ),
    "two contrasts where one is primary": (
        GOOD.replace("{m: {}}", "{m: {}, k: {}}").replace("[m]", "[m, k]")
        + "report: [{block: contrasts, name: t, experiment: e, primary: true, options: "
        "{margin: 1, contrasts: «{a: [[m, k]], b: [[k, m]]}}}]\n",
        "a primary block has one contrast, not 2: move the others",
    ),
    "name of two": (
        GOOD.replace("{g: {gen", "{«d: {gen"),
        "generators.d: a data set already has this name",
    ),
    "source": (
        data(LEVELS).replace("{file:", "{«fil:"),
        "unknown data source 'fil' (did you mean",
    ),
    "level twice": (data(", levels: «[a, [b, a]]"), "the text 'a' occurs twice"),
    "dropped target": (data(LEVELS + ", drop: «[y]"), "data.d.drop: contains the target 'y'"),
    "counts": (
        data(LEVELS + ", fingerprint: {rows: 90, features: 1, classes: «[4, 4]}"),
        "the counts add up to 8, but 'rows' is 90",
    ),
    "number of counts": (
        data(LEVELS + ", fingerprint: {rows: 90, features: 1, classes: «[90]}"),
        "1 counts for 2 levels",
    ),
    "estimator": (method("{estimator: «LinearRanke}"), "did you mean 'LinearRanker'"),
    "estimator path": (
        method("{estimator: «sklearn.linear_model.LogisticRegresion}"),
        "'sklearn.linear_model' has no 'LogisticRegresion' (did you mean 'LogisticRegression'?)",
    ),
    "estimator module": (
        method("{estimator: «sklearn.linear_mdoel.Ridge}"),
        "package 'sklearn' has no module 'linear_mdoel' (did you mean 'linear_model'?)",
    ),
    "no package": (method("{estimator: «sklaern.svm.SVC}"), "there is no package 'sklaern'"),
    "no class": (method("{estimator: «sklearn.metrics.roc_auc_score}"), "is not a class"),
    "no estimator": (method("{estimator: «collections.Counter}"), "it has no method 'fit'"),
    "no scores": (method("{estimator: «sklearn.preprocessing.StandardScaler}"), "cannot score"),
    "parameter": (
        method("{params: {«los: hinge}}"),
        "methods.m.params.los: LinearRanker has no parameter 'los' (did you mean 'loss'?)",
    ),
    "grid parameter": (method("{grid: {«lamda: [1]}}"), "did you mean 'lam'"),
    "value": (
        method("{estimator: sklearn.linear_model.LogisticRegression, params: {C: «-1}}"),
        "methods.m.params.C: The 'C' parameter of LogisticRegression must be a float",
    ),
    "grid value": (
        method("{estimator: sklearn.linear_model.LogisticRegression, grid: {C: [1, «-1]}}"),
        "methods.m.grid.C[1]: The 'C' parameter",
    ),
    "loss": (method("{params: {loss: «hing}}"), "unknown loss 'hing' (did you mean 'hinge'?)"),
    "combination": (
        method("{params: {loss: «hinge, risk: push}}"),
        "the hinge loss does not go with the push risk: it has kinks",
    ),
    "class weight": (
        method("{params: {risk: bipartite, «class_weight: balanced}}"),
        "class_weight only affects the classification risk",
    ),
    "class weight of pairs": (
        method("{params: {risk: pairs, «class_weight: balanced}}"),
        "class_weight only affects the classification risk",
    ),
    "class weight twice": (
        method("{params: {risk: balanced, «class_weight: balanced}}"),
        "class_weight",
    ),
    "negative lam": (method("{params: {lam: «-1}}"), "lam must be a finite number >= 0, got -1"),
    "lambdas without path": (
        method("{estimator: sklearn.linear_model.ElasticNet, «lambdas: [1]}"),
        "'lambdas' needs an estimator with a regularisation path",
    ),
    "nobody takes lambdas": (
        HEAD + DATA + "methods: {m: {estimator: sklearn.svm.LinearSVC}}\n"
        "experiments: {e: {problems: [d], methods: [m], «lambdas: [1], " + CV + "}}\n",
        "experiments.e.lambdas: none of the methods takes lambdas",
    ),
    "same lambda": (method("{lambdas: «[1, 2, 1.0]}"), "the same lambda occurs twice"),
    "lam twice": (method("{lambdas: [1], params: {«lam: 1}}"), "already set by 'lambdas'"),
    "endless grid": (
        method(
            "{estimator: sklearn.svm.LinearSVC, grid: «{"
            + ", ".join(
                f"{k}: [{', '.join(map(str, range(1, 101)))}]" for k in ("C", "tol", "max_iter")
            )
            + "}}"
        ),
        "methods.m.grid: 1,000,000 grid points; at most 100,000 are allowed",
    ),
    "endless repeats": (
        run("protocol: «{kind: cross_validation, repeats: 1000000}"),
        "experiments.e.protocol: this makes 10,000,000 records; at most 1,000,000 are allowed",
    ),
    "endless models": (
        GOOD.replace("[d]", "[g]").replace(
            "{kind: cross_validation}",
            "«{kind: models, models: 10000, training_sets: 101, n_train: 9, n_test: 9}",
        ),
        "makes 1,010,000 records",
    ),
    "endless repetitions": (
        NO_RUN + "experiments: {e: «{kind: simulate, check: flip_noise, grid: {p: [0.5, 0.6]}, "
        "repetitions: 1000000}}\n",
        "experiments.e: this makes 2,000,000 records",
    ),
    "params and grid": (method("{params: {tol: 1}, grid: {«tol: [1]}}"), "is also in 'params'"),
    "models of data": (
        NO_RUN + "experiments: {e: {problems: [«d], methods: [m], protocol: {kind: models, "
        "models: 1, training_sets: 1, n_train: 9, n_test: 9}}}\n",
        "protocol 'models' is for generators, not data sets",
    ),
    "folds of generators": (
        GOOD.replace("problems: [d]", "problems: [«g]"),
        "protocol 'cross_validation' is for data sets, not generators",
    ),
    "too many folds": (
        data(LEVELS + ", fingerprint: {rows: 9, features: 1}").replace(
            "cross_validation", "cross_validation, folds: «10"
        ),
        "more folds than the 9 rows of 'd'",
    ),
    "split": (run("protocol: {kind: split, test: «1.5}"), "a whole number of rows, got 1.5"),
    "three levels": (
        data(", levels: [a, b, c]").replace("[d]", "[«d]"),
        "method 'm' ranks two classes, but 'd' has more than two levels; with "
        "'risk: multipartite' it ranks more",
    ),
    "continuous": (data("").replace("[d]", "[«d]"), "'d' has a continuous target"),
    "metric of another kind": (
        GOOD.replace("{kind: cross_validation}", "{kind: cross_validation}, metrics: [«iauc]"),
        "iauc is for more than two levels or a continuous target; 'd' has two classes",
    ),
    "metric of another kind, generator": (
        NO_RUN.replace("linear", "polynomial").replace("m: {}", "m: {estimator: KendallTree}")
        + "experiments: {e: {problems: [g], methods: [m], metrics: [d_tau, «auc], protocol: "
        "{kind: models, models: 1, training_sets: 1, n_train: 9, n_test: 9}}}\n",
        "auc is for two classes; 'g' has a continuous target",
    ),
    "curve": (run(CV + ", keep: {curves: [«roc]}"), "[0]: unknown curve 'roc' (did"),
    "text": (run(CV + ", keep: {texts: [tree, «trees]}"), "[1]: unknown text 'trees' (did you"),
    "keep": (run(CV + ", keep: {«curve: [iroc]}"), "unknown key 'curve' (did you mean 'curves'?)"),
    "points": (
        run(CV + ", keep: {curves: [scoring_function], at: {low: 0, high: 1, «point: 3}}"),
        "keep.at: unknown key 'point' (did you mean 'points'?)",
    ),
    "order of points": (
        run(CV + ", keep: {curves: [scoring_function], at: «{low: 2, high: 1}}"),
        "keep.at: 'low' must be below 'high', got 2 and 1",
    ),
    "points of nothing": (
        run(CV + ", keep: «{curves: [iroc], at: {low: 0, high: 1}}"),
        "'at' only applies to 'scoring_function': add it to 'curves'",
    ),
    "fitted": (
        run(CV + ", keep: {fitted: [«gap]}"),
        "'gap' is not a fitted attribute: their names end in",
    ),
    "costs": (
        ordinal("{params: {risk: multipartite, costs: «[[0, 1], [0, 0]]}}"),
        "methods.m.params.costs: costs must be of shape (3, 3), one row and column a level, got "
        "shape (2, 2); 'd' has 3 levels",
    ),
    "costs below the diagonal": (
        ordinal("{params: {risk: multipartite, costs: «[[0, 0, 0], [1, 0, 0], [1, 1, 0]]}}"),
        "entries on and below the diagonal must be 0",
    ),
    "costs in a grid": (
        ordinal("{params: {risk: multipartite}, grid: {costs: [null, «[[0, 1], [0, 0]]]}}"),
        "methods.m.grid.costs[1]: costs must be of shape (3, 3)",
    ),
    "costs of a metric": (
        ordinal("{params: {risk: multipartite}}").replace("[vus]", "[«pair_risk(costs=1 2 a)]"),
        "experiments.e.metrics[0]: costs='1 2 a': expected the K (K - 1) / 2 numbers",
    ),
    "costs of a metric for other levels": (
        ordinal("{params: {risk: multipartite}}").replace("[vus]", "[vus, «pair_risk(costs=2)]"),
        "metrics[1]: pair_risk(costs=2): costs must be of shape (3, 3)",
    ),
    "check": (
        NO_RUN + "experiments: {e: {kind: simulate, check: «flip_nois}}\n",
        "unknown check 'flip_nois' (did you mean 'flip_noise'?)",
    ),
    "check parameter": (
        NO_RUN + "experiments: {e: {kind: simulate, check: flip_noise, params: {«rng: 1}}}\n",
        "check 'flip_noise' has no parameter 'rng'",
    ),
    "check type": (
        NO_RUN + "experiments: {e: {kind: simulate, check: flip_noise, params: {n: «1e5}}}\n",
        "experiments.e.params.n: expected a whole number, got 100000.0",
    ),
    "check grid type": (
        NO_RUN
        + "experiments: {e: {kind: simulate, check: flip_noise, grid: {p: [0.5, «true]}}}\n",
        "experiments.e.grid.p[1]: expected a number, got true",
    ),
    "check grid": (
        NO_RUN + "experiments: {e: {kind: simulate, check: flip_noise, params: {p: 0.5}, "
        "grid: {«p: [0.5]}}}\n",
        "'p' is also in 'params'",
    ),
    "block": (
        GOOD + "report: [{block: «boxplot, name: t, experiment: e}]\n",
        "unknown block 'boxplot' (did you mean 'boxplots'?)",
    ),
    "block's experiment": (
        GOOD + "report: [{block: paired_table, name: t, experiment: [e, «f]}]\n",
        "report[0].experiment[1]: unknown experiment 'f'",
    ),
    "reserved": (
        GOOD + "report: [{block: paired_table, name: «scores, experiment: e}]\n",
        "'scores' is reserved: every study writes a file of this name",
    ),
    "option": (block(", options: {«digit: 3}"), "unknown key 'digit' (did you mean 'digits'?)"),
    "option value": (block(", options: {rule: «best}"), "report[0].options.rule: "),
    "option's method": (block(", options: {reference: «n}"), "unknown method 'n'"),
    "option's rule": (
        block(", options: {rule: «nestd}"),
        "rule: unknown rule 'nestd' (did you mean 'nested'?); known: oracle, nested,",
    ),
    "option's references": (
        compared("references: [k, «n]"),
        "report[0].options.references[1]: unknown method 'n'",
    ),
    "option's own reference": (
        compared("references: [m]").replace("options: {", "options: «{"),
        "report[0].options: 'm' cannot be compared with itself",
    ),
    "option's rules": (
        compared("references: [k], rule: {«f: oracle}"),
        "report[0].options.rule.f: unknown experiment 'f'",
    ),
    "option's metric": (block(", options: {metric: «auc}"), "unknown metric 'auc'"),
    "option's theory": (
        block(", options: {theory: {«n: {name: half_log_ratio}}}").replace(
            "paired_table", "curves_against_theory"
        ),
        "report[0].options.theory.n: unknown method 'n'",
    ),
    "option's theory's name": (
        block(", options: {theory: {m: {name: «half_log_rato}}}").replace(
            "paired_table", "curves_against_theory"
        ),
        "theory.m.name: unknown theory 'half_log_rato' (did you mean 'half_log_ratio'?); known:",
    ),
    "option's theory's key": (
        block(", options: {theory: {m: {name: half_log_ratio, «optons: {}}}}").replace(
            "paired_table", "curves_against_theory"
        ),
        "options.theory.m: unknown key 'optons' (did you mean 'options'?); known: name, options",
    ),
    "published": (GOOD + "published: «nowhere.csv\n", "no such file: "),
}


@pytest.mark.parametrize("name", [*SHAPE, *MEANING])
def test_error_is_placed_and_explained(errors, name):
    text, say = (SHAPE | MEANING)[name]
    (line,) = errors(text)
    assert say in line


def test_the_texts_are_good_but_for_their_faults(loaded):
    assert loaded(GOOD).experiments["e"].kind == "evaluate"
    assert loaded(block(", options: {reference: m}")).report[0].name == "t"
    assert loaded(method("{params: {loss: hinge, risk: bipartite}, lambdas: [1e-3]}"))


@pytest.mark.parametrize(
    "text",
    [
        "{grid: {risk: [points, pairs, balanced]}}",
        "{params: {risk: points, class_weight: balanced}}",
        "{estimator: RankBoost, params: {risk: pairs}}",
        "{estimator: KernelRanker, params: {risk: pairs}}",
        "{estimator: BoostedRanker, grid: {risk: [points, pairs, balanced]}}",
    ],
)
def test_a_study_may_name_risks_plainly(loaded, text):
    loaded(method(text))


def test_all_errors_at_once_in_the_order_of_the_file(errors):
    lines = errors(
        "version: 1\n«sudy: t\ntitle: «3\nseed: «x\n«seed: 4\n"
        "data: {d: {source: {file: 1}, target: «2, fingerprint: {rows: «0, features: «x}}}\n"
        "methods: {m: {«lamdas: [1], params: «3}}\n«experiment: {}\n".replace(
            "version: 1", "«version: 1", 1
        ).replace("«version", "««version", 1)
    )
    assert sorted(lines[:2]) == ["missing key 'experiments'", "missing key 'study'"]
    assert "'seed' occurs twice" in lines[5] or "'seed' occurs twice" in lines[4]


def test_two_blocks_of_one_name(errors):
    one = "{block: paired_table, name: «t, experiment: e}"
    assert len(errors(GOOD + f"report: [{one}, {one}]\n")) == 2


PROFILE = GOOD + "profiles:\n  quick:\n"


def test_a_profile_is_merged_key_by_key(loaded):
    text = PROFILE + (
        "    title: short\n"
        "    methods: {m: {params: {tol: 1e-3}}, extra: {}}\n"
        "    generators: null\n"
        "    experiments: {e: {methods: [m, extra], protocol: {folds: 3}}}\n"
    )
    base, quick = loaded(text), loaded(text, "quick")
    assert (base.title, quick.title) == ("T", "short")
    assert quick.generators == {} != base.generators
    assert quick.methods["m"].params == {"tol": 0.001}
    assert quick.experiments["e"].methods == ["m", "extra"]
    assert quick.experiments["e"].protocol.folds == 3
    assert quick.experiments["e"].problems == ["d"]
    assert base.experiments["e"].protocol.folds == 10
    assert quick.profiles == {}


@pytest.mark.parametrize(
    ("text", "say"),
    [
        ("    seed: «x\n", "seed: expected a whole number, got the text 'x' (in profile 'quick')"),
        ("    «sede: 3\n", "unknown key 'sede' (did you mean 'seed'?)"),
        ("    methods: {«n: null}\n", "profiles.quick.methods.n: profile sets 'n' to null"),
        ("    methods: {m: {params: {loss: «hing}}}\n", "unknown loss 'hing'"),
        ("    experiments: {e: {problems: [«x]}}\n", "unknown problem 'x'"),
        ("    «profiles: {}\n", "a profile cannot contain profiles"),
    ],
)
def test_errors_of_a_profile_are_found_without_it_too(errors, text, say):
    for profile in (None, "quick"):
        (line,) = errors(PROFILE + text, profile)
        assert say in line


def test_an_error_of_the_study_is_not_repeated_for_its_profiles(errors):
    assert len(errors(PROFILE.replace("seed: 1", "seed: «-1") + "    title: t\n")) == 1


def message(path, profile=None):
    with pytest.raises(ConfigError) as caught:
        load(path, profile)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_unknown_profile(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(PROFILE + "    title: t\n")
    assert "no profile 'quik' (did you mean 'quick'?); profiles: quick" in message(file, "quik")


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "study.yaml").write_text(GOOD)
    assert "no such file (did you mean 'study.yaml'?)" in message(tmp_path / "stduy.yaml")
    assert "no such file" in message(tmp_path / "nowhere" / "a.yaml")
    assert "this is a folder, not a study; its YAML files: study.yaml" in message(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("version: 1\ntitle: Hüll".encode("latin-1"))
    assert "latin.yaml:2:9: not UTF-8 text (byte 0xfc)" in message(tmp_path / "latin.yaml")
    (tmp_path / "empty.yaml").write_text("")
    assert "empty.yaml:1:1: the file is empty" in message(tmp_path / "empty.yaml")


def test_a_byte_order_mark_is_no_error(tmp_path):
    (tmp_path / "bom.yaml").write_text(GOOD, encoding="utf-8-sig")
    assert load(tmp_path / "bom.yaml").study == "t"


PUBLISHED = "experiment,problem,method,quantity,value,last_digit,source,verified,note\n"
SAID = "e,d,m,rank_loss,.2,.1,p,true,\n"
SHOWS = "report: [{block: published_table, name: t, experiment: e}]\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":0: the first line lacks experiment, problem"),
        (PUBLISHED.replace("value", "valeu"), ":1: the first line lacks value"),
        (
            PUBLISHED.replace("note", "note,unit") + SAID.replace("true,", "true,,3"),
            ":1: the first line has an unknown column 'unit' \\(did you mean 'units'",
        ),
        (PUBLISHED + SAID.replace("true", "ture"), ":2: verified must be true or false, .*'ture'"),
        (PUBLISHED + "e,d,m,rank_loss,x,.1,p,true,\n", ":2: value and last_digit"),
        (PUBLISHED + "e,d,m,rank_loss,.2,.1,p,true,a,b\n", ":2: more values"),
        (PUBLISHED + "e,d,m\n", ":2: no value for quantity"),
        (PUBLISHED + SAID + SAID, ":3: .*occurs twice, first in line 2"),
        (
            PUBLISHED + SAID + SAID.replace("rank_loss", '"rank_loss(ties=expected)"'),
            ":3: .*twice",
        ),
        ("# a comment\n" + PUBLISHED + "f" + SAID[1:], ":3: .*no experiment 'f'"),
        (PUBLISHED + "e,dd,m,rank_loss,.2,.1,p,true,\n", "no problem 'dd'.*did you mean 'd'"),
        (PUBLISHED + "e,d,mm,rank_loss,.2,.1,p,true,\n", "no method 'mm'.*did you mean 'm'"),
        ("\udcff", ":1: not UTF-8"),
    ],
)
def test_damaged_published_values_are_told_before_anything_runs(
    errors, tmp_path, content, message
):
    file = tmp_path / "values.csv"
    file.write_bytes(content.encode(errors="surrogateescape"))
    (found,) = errors(GOOD + SHOWS + "published: «values.csv\n")
    assert re.search(rf"values\.csv.*{message}", found)


TWO = GOOD.replace("[m]", "[m, k], metrics: [rank_loss, auc]").replace("{m: {}}", "{m: {}, k: {}}")


@pytest.mark.parametrize(
    ("row", "report", "message"),
    [
        (
            "e,d,m,rankloss",
            "",
            "quantity 'rankloss' (did you mean 'rank_loss'?); shown: rank_loss",
        ),
        ("e,d,m,auc", "", "quantity 'auc'; shown: rank_loss"),
        ("e,d,m,slope", "", "quantity 'slope'; shown: rank_loss"),
        ("e,*,m,rank_loss", "", "problem '*'; shown: d"),
        ("e,d,k,rank_loss", "options: {methods: [m]}", "method 'k'; shown: m"),
        ("e,d,k,rank_loss", "options: {beside: {k: m}}", "method 'k'; shown: m"),
    ],
)
def test_a_published_value_that_no_block_shows_is_told(errors, tmp_path, row, report, message):
    text = PUBLISHED + f"{row},.2,.1,p,true,\n"
    (tmp_path / "values.csv").write_text(text)
    shows = SHOWS.replace("}]", f", {report}}}]") if report else SHOWS
    (found,) = errors(TWO + shows + "published: «values.csv\n")
    said = "values.csv:2: no block of the report shows the "
    assert found == f"published: {tmp_path / 'values.csv'}:2: {said[14:]}{message}"


def test_a_study_without_blocks_shows_no_published_value(errors, loaded, tmp_path):
    (tmp_path / "values.csv").write_text(PUBLISHED + SAID)
    (found,) = errors(TWO + "published: «values.csv\n")
    assert found.endswith("values.csv:2: no block of the report shows e / d / m / rank_loss")
    spelt = SAID.replace("rank_loss", '"rank_loss(ties=expected)"')
    (tmp_path / "values.csv").write_text(PUBLISHED + spelt)
    assert loaded(TWO + SHOWS + "published: values.csv\n").report


def test_what_a_profile_does_not_show_is_no_fault(loaded, tmp_path):
    (tmp_path / "values.csv").write_text(PUBLISHED + SAID)
    text = TWO + SHOWS + "published: values.csv\nprofiles: {quick: {report: []}}\n"
    assert loaded(text, "quick").report == []


def test_published_values_are_found_beside_the_file(loaded, tmp_path):
    assert loaded(GOOD).published_file is None
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "t.csv").write_text(PUBLISHED)
    study = loaded(GOOD)
    assert study.folder == tmp_path
    assert study.published_file == tmp_path / "published" / "t.csv"
    assert "folder" not in study.model_dump()


def test_folder_is_no_key(errors):
    (message,) = errors(GOOD + "«folder: /\n")
    assert message.startswith("unknown key 'folder'")


STUDY = (Path(__file__).parents[3] / "configs" / "auc-itself.yaml").read_text(encoding="utf-8")


@settings(max_examples=20)
@given(
    st.integers(0, len(STUDY) - 1),
    st.integers(0, 30),
    st.text("ab:{}[]&*!<\"'#-\n 01\t", max_size=3),
)
def test_damage_anywhere_is_harmless_or_a_placed_error(tmp_path_factory, start, length, instead):
    file = tmp_path_factory.getbasetemp() / "damaged.yaml"
    file.write_text(STUDY[:start] + instead + STUDY[start + length :], encoding="utf-8")
    try:
        load(file)
    except ConfigError as error:
        for line in str(error).split("\n"):
            assert re.match(rf"{re.escape(str(file))}:\d+:\d+: .", line), line


def test_names_of_blocks_that_differ_in_capitals_only(errors):
    one, other = (f"{{block: paired_table, name: «{name}}}" for name in ("Table", "table"))
    told = errors(GOOD + f"report: [{one}, {other}]\n")
    assert [text.partition("two blocks are named ")[2] for text in told] == [
        f"'{name}', if capitals do not count" for name in ("Table", "table")
    ]
