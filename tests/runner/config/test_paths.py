"""Which estimators solve for many lambdas at once is known without importing them."""

from rankexp import registry
from rankexp.runner.config.estimators import has_path


def test_what_is_said_of_paths_is_so() -> None:
    for name in registry.names("estimators"):
        assert has_path(name) == hasattr(registry.get("estimators", name), "path"), name


def test_what_has_no_name_of_ours_is_asked() -> None:
    assert not has_path("sklearn.linear_model.LogisticRegression")
    assert not has_path("Nobody")
