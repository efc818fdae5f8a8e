"""What a spec may name of the catalogue: `python docs/site/spec_catalogue.py > crates/spec/src/catalogue.toml`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dumbbell.metrics.attainment import OVER_TIME
from dumbbell.metrics.catalogue import OF_HOP, QUANTITIES

HEAD: Final = """\
# The quantities that a spec may name, made by `make docs-outputs` out of python/dumbbell/metrics/catalogue.py: the
# unit, whether a run or each group has one, whether each queue has, and whether there are bins of it over time."""


def names() -> Iterator[str]:
    """The lines of the file."""
    of_hop = {each.name: each for each in OF_HOP.values()}
    yield HEAD
    for name, quantity in {**QUANTITIES, **of_hop, **QUANTITIES}.items():
        whose = quantity.of if name in QUANTITIES else "hop"
        facts = [f'unit = "{quantity.unit}"', f'of = "{whose}"']
        facts += ["of_hop = true"] * (name in of_hop) + ["over_time = true"] * (name in OVER_TIME)
        yield f"{name} = {{ {', '.join(facts)} }}"


if __name__ == "__main__":
    print("\n".join(names()))
