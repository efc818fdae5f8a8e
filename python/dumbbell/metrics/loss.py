"""Random loss on the path, apart from what the queue drops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dumbbell.metrics.window import ratio

if TYPE_CHECKING:
    from collections.abc import Mapping

BEFORE = "before"


def random_loss(lost: int, offered: int, sent: int, loss_at: str) -> float | None:
    """Packets lost at random, as a share of those that could be; None where there were none.

    Before the queue that is what is `offered` to it and what is `lost`; after it, what it has `sent`.

    >>> random_loss(1, 99, 90, "before"), random_loss(9, 99, 90, "after"), random_loss(0, 0, 0, "before")
    (0.01, 0.1, None)
    """
    exposed = offered + lost if loss_at == BEFORE else sent
    return ratio(lost, exposed)


def has_random_loss(spec: Mapping[str, Any]) -> bool:
    """Whether the path of a spec, given as its words, loses packets at random at any point."""
    if "loss" not in spec["path"]:
        return False
    from dumbbell.spec.quantity import Share  # noqa: PLC0415 (late: it loads all of `spec`, and lists need none)

    loss = spec["path"]["loss"]
    return any(Share(each).value for each in (loss if isinstance(loss, list) else [loss]))


def loss_at(spec: Mapping[str, Any], point: Mapping[str, Any]) -> str:
    """Where it does at a point: before the queue, or after it."""
    return str(point.get("path.loss_at", spec["path"].get("loss_at", BEFORE)))
