"""What a study's file says: plain data, and the bases of the models that it fills in."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Union

from pydantic import BaseModel, ConfigDict
from pydantic.config import JsonDict

Plain = Union[None, bool, int, float, str, "Sequence[Plain]", "Mapping[str, Plain]"]
"""What YAML and JSON can say."""


class Strict(BaseModel, use_attribute_docstrings=True):
    """A frozen model that refuses unknown keys and converts nothing silently."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


MEANINGS = tomllib.loads((Path(__file__).parent / "config/keys.toml").read_text("utf-8"))
"""By model and key, as the page of keys and editors show it."""


def _tell(schema: JsonDict, model: type[BaseModel]) -> None:
    match schema:
        case {"properties": dict(keys)}:
            for key, meaning in MEANINGS.get(model.__name__, {}).items():
                keys[key] = {**keys[key], "description": meaning}  # type: ignore[dict-item]


class Keyed(Strict):
    """A model whose keys ``keys.toml`` tells about; another package's may have docstrings."""

    model_config = ConfigDict(json_schema_extra=_tell)
