"""What a side may be called."""

from __future__ import annotations

from pathlib import Path

import pytest

from dumbbell.comparison.selection import Exchange, exchanges, selections
from dumbbell.errors import ComparisonError


def test_a_folder_is_a_store_whatever_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "a@cc=bbr"
    folder.mkdir()
    first, second = selections(str(folder), f"{folder}@engine=sim")
    assert (first.folder, dict(first.wanted)) == (folder, {})
    assert (second.folder, dict(second.wanted)) == (folder, {"engine": "sim"})


def test_what_begins_with_at_is_of_the_other_store() -> None:
    for pair in (("results@engine=sim", "@engine=linux:6.12"), ("@engine=sim", "results@engine=linux:6.12")):
        first, second = selections(*pair)
        assert first.folder == second.folder == Path("results")
        assert (first.text, second.text) == ("results@engine=sim", "results@engine=linux:6.12")


def test_commas_of_parameters_do_not_part_conditions() -> None:
    first, _ = selections("s@cc=bbr[cwnd_gain=1.5, probe_gain=1.1], path.rate = 1 Mbit/s", "s")
    assert dict(first.wanted) == {"cc": "bbr[cwnd_gain=1.5, probe_gain=1.1]", "path.rate": "1 Mbit/s"}


def test_algorithms_that_both_sides_name_are_exchanged_where_they_differ() -> None:
    ours, theirs = exchanges(*selections("s@flows[1].cc=bbr,flows[0].cc=reno", "@flows[1].cc=cubic,flows[0].cc=reno"))
    assert (ours, theirs) == ([Exchange("bbr", 1)], [Exchange("cubic", 1)])
    assert exchanges(*selections("s@cc=bbr,path.rtt=1 ms", "@cc=cubic,path.rtt=2 ms"))[0] == [Exchange("bbr", None)]
    assert exchanges(*selections("s@cc=bbr", "t")) == ([], [])


@pytest.mark.parametrize(("a", "b"), [("flows[1].cc=cubic", "cc=reno"), ("flows[0].cc=bbr", "flows[1].cc=bbr")])
def test_algorithms_that_each_side_names_in_another_way_are_refused(a: str, b: str) -> None:
    for one, other in ((a, b), (b, a)):
        with pytest.raises(ComparisonError) as error:
            exchanges(*selections(f"s@{one}", f"@{other}"))
        assert f"{one} is not in the place of {other}; name what is compared in the same way" in str(error.value)
    assert exchanges(*selections(f"s@{a},{b}", f"@{b}")) == ([], [])


@pytest.mark.parametrize(
    ("a", "message"),
    [
        ("s@", "selects nothing"),
        ("s@sim", '"sim" selects nothing; write it as "s@engine=linux:6.12"'),
        ("s@engine=", "selects nothing"),
        ("s@cc=bbr,cc=reno", '"cc" is there twice'),
    ],
)
def test_what_cannot_be_read(a: str, message: str) -> None:
    with pytest.raises(ComparisonError) as error:
        selections(a, "t")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_one_side_has_a_store() -> None:
    with pytest.raises(ComparisonError, match="names no store"):
        selections("@cc=bbr", "@cc=cubic")
