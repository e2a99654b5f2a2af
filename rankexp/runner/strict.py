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


def told(file: Path) -> ConfigDict:
    """Return settings of models of whose keys a file tells; others may have docstrings."""
    meanings = tomllib.loads(file.read_text("utf-8"))

    def tell(schema: JsonDict, model: type[BaseModel]) -> None:
        found: dict[str, str] = {}
        for base in reversed(model.__mro__):
            found |= meanings.get(base.__name__, {})
        match schema:
            case {"properties": dict(keys)}:
                for key in keys.keys() & found.keys():
                    keys[key] = {**keys[key], "description": found[key]}  # type: ignore[dict-item]

    return ConfigDict(json_schema_extra=tell)


class Keyed(Strict):
    """A model whose keys ``config/keys.toml`` tells about."""

    model_config = told(Path(__file__).parent / "config/keys.toml")
