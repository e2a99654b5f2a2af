"""Every registered metric keeps the contract that plug-ins have, too."""

from typing import get_args, get_type_hints

import pytest

from rankexp import registry
from rankexp.metrics.metric import Metric, parse
from rankexp.testing import check_metric
from rankexp.testing import metrics as laws

NAMES = registry.names("metrics")


@pytest.mark.parametrize("name", NAMES)
def test_keeps_its_contract(name):
    check_metric(name)


def with_each_rule_for_ties(name: str) -> list[Metric]:
    """Return a metric with each of its rules, and with those of a list cut at 5."""
    metric = parse(name)
    rules = get_args(get_type_hints(metric.function).get("ties"))
    cut = f"{name}@5" if metric.declaration.cutoff else name
    return [parse(f"{text}(ties={rule})") for text in {name, cut} for rule in rules]


@pytest.mark.parametrize("name", NAMES)
def test_no_rule_for_ties_goes_by_the_order_of_rows_without_saying_so(name):
    for metric in with_each_rule_for_ties(name):
        for kind in metric.kinds:
            if metric.ties in laws.ORDERS:
                laws.scores_columns_alike(metric, kind)
            else:
                laws.ignores_the_order_of_rows(metric, kind)


def test_where_the_order_counts_the_law_would_find_it():
    with pytest.raises(AssertionError, match="after reordering the rows"):
        laws.ignores_the_order_of_rows(parse("precision@5(ties=order)"), "binary")
