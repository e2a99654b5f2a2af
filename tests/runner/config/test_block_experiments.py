"""A block on an experiment that it cannot show is an error of the study, before anything runs."""

import pytest

STUDY = """\
version: 1
study: t
title: T
seed: 1
generators: {g: {generator: linear}, h: {generator: gaussian}}
data: {d: {source: {sklearn: breast_cancer}, target: target, levels: [malignant, benign]}}
methods: {m: {}, k: {}}
experiments:
  e: {problems: [g], methods: [m, k], metrics: [rank_loss], protocol:
    {kind: models, models: 1, training_sets: 1, n_train: 9, n_test: 9}}
  f: {problems: [d], methods: [m, k], metrics: [auc], protocol: {kind: cross_validation, folds: 2}}
  o: {problems: [h], methods: [m, k], metrics: [vus], protocol:
    {kind: models, models: 1, training_sets: 1, n_train: 9, n_test: 9}}
  ties: {kind: simulate, check: hinge_ties}
  stairs: {kind: simulate, check: hinge_staircase}
report:
"""


@pytest.mark.parametrize(
    ("block", "experiment", "why"),
    [
        ("boxplots", "«ties", "experiments with methods; 'ties' is a simulation"),
        ("average_ranks", "[e, «stairs]", "experiments with methods; 'stairs' is a simulation"),
        ("simulation_table", "[«e, ties]", "simulations; 'e' is an experiment with methods"),
        ("region_map", "«stairs", "simulations of the check 'hinge_ties'; 'stairs' is of"),
        ("region_map", "[ties, «f]", "simulations; 'f' is an experiment with methods"),
        ("optimum", "[e, «f]", "generators, whose best scorer is known; 'f' has the data set 'd'"),
        ("tree", "«f", "experiments that keep 'tree'; 'f' does not, see its 'keep'"),
        ("iroc_curves", "[«e, «f]", "experiments that keep 'iroc'; 'e' does not"),
        ("staircase", "[stairs, e, «ties]", "simulations of the check 'hinge_staircase'"),
    ],
)
def test_blocks_say_what_they_are_for(errors, block, experiment, why):
    many = block == "staircase"
    marked = f"{STUDY}  - {{block: {block}, name: t, experiment: {'«' * many}{experiment}}}\n"
    messages = errors(marked)
    found = [text for text in messages if f": block '{block}' is for {why}" in text]
    assert len(found) == 1 and len(messages) == marked.count("«")


def test_a_staircase_needs_its_simulation(errors):
    line = "  - {block: staircase, name: t, experiment: «[e, f]}\n"
    (text,) = errors(STUDY + line)
    assert text.endswith("block 'staircase' shows one simulation, and 0 are named")


def test_an_answer_about_pairs_by_a_metric_without_a_margin_needs_one(errors, loaded):
    start = "  - {block: pairs_or_points, name: t, experiment: o, options: "
    (text,) = errors(f"{STUDY}{start}«{{contrasts: {{m: k}}}}}}\n")
    assert "the metric vus has no margin of its own: set the option 'margin'" in text
    loaded(f"{STUDY}{start}{{contrasts: {{m: k}}, margin: .02}}}}\n")


@pytest.mark.parametrize("block", ["comparison", "answer"])
def test_margins_are_a_number_or_two(errors, loaded, block):
    start = f"  - {{block: {block}, name: t, experiment: o, options: {{method: m, references: [k]"
    for margin in ("", ", margin: .02", ", margin: {absolute: .02, relative: .2, least: .01}"):
        loaded(f"{STUDY}{start}{margin}}}}}\n")
    for margin in ("«0", "«{«relativ: .1}", "{least: «0}"):
        assert errors(f"{STUDY}{start}, margin: {margin}}}}}\n")
