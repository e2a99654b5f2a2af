"""The kind of a generator's problem is that of the generator as configured."""

import pytest

from rankexp.runner.config.experiments import kind_of

STUDY = """version: 1
study: s
title: t
seed: 1
generators:
  two: {generator: gaussian}
  three: {generator: gaussian, params: {means: [-2, 0, 2], priors: [1, 1, 2]}}
  chances: {generator: discrete, params: {points: [1, 2], pmfs: [[1, 0], [0.5, 0.5], [0, 1]]}}
  toy: {generator: polynomial}
experiments: {e: {kind: simulate, check: flip_noise}}
"""


def test_kinds_of_generators(loaded):
    study = loaded(STUDY)
    kinds = {name: kind_of(study, name) for name in [*study.generators, "nothing"]}
    assert kinds == {
        "two": "binary",
        "three": "ordinal",
        "chances": "ordinal",
        "toy": "continuous",
        "nothing": None,
    }


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ("{means: «[1]}", "generators.g.params.means: means=[1]: expected two or more numbers"),
        ("{means: [1, 2], variances: «[1, -1]}", "variances=[1, -1]: expected a number > 0"),
        ("{means: [1, 2], priors: «[a, b]}", "priors=['a', 'b']: expected finite numbers"),
        ("{«mean: [1, 2]}", "has no parameter 'mean' (did you mean 'means'?)"),
    ],
)
def test_what_a_generator_refuses_is_said_once(errors, params, message):
    marked = (
        "version: 1\nstudy: s\ntitle: t\nseed: 1\n"
        f"generators: {{g: {{generator: gaussian, params: {params}}}}}\n"
        "methods: {m: {}}\n"
        "experiments: {e: {problems: [g], methods: [m], metrics: [auc], protocol: "
        "{kind: models, models: 1, training_sets: 1, n_train: 9, n_test: 9}}}\n"
    )
    (found,) = errors(marked)
    assert message in found
