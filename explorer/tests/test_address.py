"""Addresses: the package and the page read each other's, and refuse the same ones in the same words."""

from __future__ import annotations

from typing import Any, Final

import pytest

from dumbbell.explorer.address import LinkError, decoded, encoded
from dumbbell.explorer.presets import presets

ABOUT: Final = {"version": "1.2.0.dev3", "identity": "0123456789abcdef"}
CONTENTS: Final[list[Any]] = [
    *({"toml": each["toml"], "view": each.get("view", {})} for each in presets()["presets"]),
    {"toml": 'name = "Überlast ☃ 𝄞"\nduration = "1 s"\n', "view": {"tab": "map", "xs": '"1 ms", \\'}},
    {"toml": "", "view": {}},
    {"toml": "# a long comment\n" * 10_000, "view": {}},
]


def own() -> list[str]:
    return [encoded(content, **ABOUT) for content in CONTENTS]


def broken() -> list[str]:
    good = own()[0]
    return [
        "",
        "1",
        "2.0.1.01234567.abc",
        "pictures",
        good[:-9],
        good[:-1],
        f"{good}e30",
        good.replace("H4sI", "H4sJ"),
        f"{good}é",
    ]


def in_page(in_node: Any, addresses: list[str]) -> Any:
    (answers,) = in_node("address.mjs", about=ABOUT, contents=CONTENTS, addresses=addresses)
    return answers


def test_the_same_content_has_the_same_address_and_comes_back() -> None:
    assert own() == own()
    assert [decoded(address, **ABOUT).content for address in own()] == CONTENTS


def test_each_reads_what_the_other_writes(in_node: Any) -> None:
    page = in_page(in_node, own())
    assert page["read"] == [{"content": content, "version": ABOUT["version"], "isOther": False} for content in CONTENTS]
    assert [decoded(address, **ABOUT).content for address in page["made"]] == CONTENTS
    assert [address.rpartition(".")[0] for address in page["made"]] == [address.rpartition(".")[0] for address in own()]


def test_both_refuse_the_same_in_the_same_words(in_node: Any) -> None:
    refusals = []
    for address in broken():
        with pytest.raises(LinkError) as refused:
            decoded(address, **ABOUT)
        refusals.append({"message": str(refused.value)})
    assert in_page(in_node, broken())["read"] == refusals


@pytest.mark.parametrize("about", [ABOUT | {"version": "1.3.0"}, ABOUT | {"identity": "fedcba9876543210"}])
def test_another_build_is_told(about: dict[str, str]) -> None:
    link = decoded(encoded(CONTENTS[0], **about), **ABOUT)
    assert link == (CONTENTS[0], about["version"], True)
