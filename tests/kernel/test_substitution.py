from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from dumbbell.errors import SubstitutionError
from dumbbell.kernel.recipe import Substitution, ordered, recipe, substitute

CHANGE = Substitution(file="a/b.c", match="x = 1;", replace="x = 2;", why="a test")


def test_one_match_is_replaced() -> None:
    assert CHANGE.applied("int x = 1; y") == "int x = 2; y"


@pytest.mark.parametrize(("text", "occurrence"), [("", "does not occur"), ("x = 1; x = 1;", "occurs 2 times")])
def test_none_or_two_are_an_error_that_names_file_and_text(text: str, occurrence: str) -> None:
    with pytest.raises(SubstitutionError, match=f'a/b.c: "x = 1;" {occurrence}, not 1 \\(a test\\)'):
        CHANGE.applied(text)


def test_a_text_can_be_there_more_often_when_it_says_so() -> None:
    twice = Substitution(file="f", match="a", replace="b", why="w", times=(1, 2))
    assert (twice.applied("a"), twice.applied("aa")) == ("b", "bb")
    for text in ("", "aaa"):
        with pytest.raises(SubstitutionError, match="not 1 to 2"):
            twice.applied(text)


def test_a_text_is_literal() -> None:
    change = Substitution(file="f", match=r"(a.*)\1", replace=r"\g<0>", why="w")
    assert change.applied(r"-(a.*)\1-") == r"-\g<0>-"


@pytest.mark.parametrize(
    ("release", "applies"), [("6.1.192", False), ("6.2", True), ("6.9.12", True), ("6.10-rc1", False), ("6.12", False)]
)
def test_versions_bound_a_substitution(release: str, applies: bool) -> None:  # noqa: FBT001 (a known answer)
    assert Substitution(file="f", match="", replace="", why="w", since="6.2", before="6.10").applies(release) is applies


def test_versions_are_ordered_as_numbers() -> None:
    assert ordered("6.9.1") < ordered("6.10") < ordered("6.10.3-rc1+") < ordered("10.0")


def test_files_are_changed_and_a_missing_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(SubstitutionError, match=r"a/b.c: there is no such file"):
        substitute(tmp_path, [CHANGE], "6.1")
    (tmp_path / "a/b.c").write_text("x = 1;", encoding="utf-8")
    substitute(tmp_path, [CHANGE], "6.1")
    assert (tmp_path / "a/b.c").read_text(encoding="utf-8") == "x = 2;"


def test_the_recipe_is_whole() -> None:
    full_recipe = recipe()
    assert len(full_recipe.substitutions) >= 4
    assert all(each.why and each.match != each.replace for each in full_recipe.substitutions)
    assert set(full_recipe.sources) == {"6.1", "6.12", "7.3"}
    wanted = {name for name, value in full_recipe.options.items() if value == "y"}
    assert frozenset().union(*full_recipe.indispensable) <= wanted
    assert {"CONFIG_PROC_SYSCTL", "CONFIG_SYSCTL"} in full_recipe.indispensable
    for source in full_recipe.sources.values():
        assert source.absent <= wanted
        assert not any(names <= source.absent for names in full_recipe.indispensable)
        assert source.archive is None or len(bytes.fromhex(source.archive.sha256)) == 32


def test_the_configuration_has_no_option_twice() -> None:
    lines = files("dumbbell.kernel").joinpath("minimal.config").read_text(encoding="utf-8")
    names = [line.partition("=")[0] for line in lines.splitlines() if line.startswith("CONFIG_")]
    assert len(names) > 50
    assert sorted(names) == sorted(set(names))
