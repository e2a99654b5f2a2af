"""What a study's file says: plain data, and the base of the models that it fills in."""

from collections.abc import Mapping, Sequence
from typing import Union

from pydantic import BaseModel, ConfigDict

Plain = Union[None, bool, int, float, str, "Sequence[Plain]", "Mapping[str, Plain]"]
"""What YAML and JSON can say."""


class Strict(BaseModel, use_attribute_docstrings=True):
    """A frozen model that refuses unknown keys and converts nothing silently."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
