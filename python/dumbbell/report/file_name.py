"""Names of files for experiments, whatever these are called."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count


def file_names(experiment: str, suffix: str = "") -> Iterator[str]:
    """Names for its file, each for the case that those before are taken; case alone tells no two apart everywhere.

    >>> names = file_names("My runs [path.rtt=50 ms]", ".toml")
    >>> next(names), next(names)
    ('my-runs-path.rtt-50-ms.toml', 'my-runs-path.rtt-50-ms-2.toml')
    """
    text = "".join(letter if letter.isalnum() or letter in "_." else " " for letter in experiment.casefold())
    stem = "-".join(text.split()).strip(".") or "experiment"
    yield f"{stem}{suffix}"
    yield from (f"{stem}-{number}{suffix}" for number in count(2))
