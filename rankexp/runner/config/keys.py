"""The base of the models of a study's file: what their keys mean stands in ``keys.toml``."""

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from pydantic.config import JsonDict

from rankexp.runner.strict import Strict

MEANINGS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""By model and key, as the page of keys and editors show it."""


def _tell(schema: JsonDict, model: type[BaseModel]) -> None:
    match schema:
        case {"properties": dict(keys)}:
            for key, meaning in MEANINGS.get(model.__name__, {}).items():
                keys[key] = {**keys[key], "description": meaning}  # type: ignore[dict-item]


class Keyed(Strict):
    """A model whose keys ``keys.toml`` tells about; another package's may have docstrings."""

    model_config = ConfigDict(json_schema_extra=_tell)
