"""`TomlTable`: what the tables of the proof's data files have in common."""

from pydantic import BaseModel, ConfigDict


class TomlTable(BaseModel):
    """A table as it is written: nothing that is unknown, and nothing changes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)
