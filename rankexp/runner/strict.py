"""The base of every model that a study's file fills in."""

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A frozen model that refuses unknown keys and converts nothing silently."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
