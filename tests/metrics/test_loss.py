from __future__ import annotations

import doctest

import pytest

from dumbbell.metrics import loss


def test_the_examples_are_so() -> None:
    found = doctest.testmod(loss)
    assert (found.failed, found.attempted > 0) == (0, True)


@pytest.mark.parametrize(
    ("words", "lossy"),
    [({}, False), ({"loss": "0 %"}, False), ({"loss": "0.1 %"}, True), ({"loss": ["0 %", "1 %"]}, True)],
)
def test_a_spec_says_whether_its_path_loses_at_random(words: dict[str, object], lossy: bool) -> None:  # noqa: FBT001
    assert loss.has_random_loss({"path": words}) is lossy


def test_where_it_does_may_be_swept() -> None:
    spec = {"path": {"loss_at": ["before", "after"]}}
    assert loss.loss_at(spec, {"path.loss_at": "after"}) == "after"
    assert loss.loss_at({"path": {}}, {}) == "before"
