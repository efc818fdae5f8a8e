"""Addresses: the package and the page make the same, and the page reads them or says what is wrong with one."""

from __future__ import annotations

from typing import Any, Final

import pytest

from dumbbell.explorer.address import encoded
from dumbbell.explorer.page import presets
from webpage import content_of

ABOUT: Final = {"version": "1.2.0.dev3", "identity": "0123456789abcdef"}
CONTENTS: Final[list[Any]] = [
    *(
        {"toml": each["toml"], "view": each.get("view", {}), "files": each.get("files", {})}
        for each in presets()["presets"]
    ),
    {"toml": 'name = "Überlast ☃ 𝄞"\nduration = "1 s"\n', "view": {"tab": "map", "xs": '"1 ms", \\'}},
    {"toml": "", "view": {}},
    {"toml": "# a long comment\n" * 10_000, "view": {}},
]


def own() -> list[str]:
    return [encoded(content, **ABOUT) for content in CONTENTS]


NONE: Final = ["", "1", "2.0.1.01234567.abc", "pictures"]
GOOD: Final = encoded(CONTENTS[0], **ABOUT)
DAMAGED: Final = [GOOD[:-9], GOOD[:-1], f"{GOOD}e30", GOOD.replace("H4sI", "H4sJ"), f"{GOOD}é"]


def in_page(in_node: Any, addresses: list[str]) -> Any:
    (answers,) = in_node("address.mjs", about=ABOUT, contents=CONTENTS, addresses=addresses)
    return answers


def test_the_same_content_has_the_same_address_and_comes_back() -> None:
    assert own() == own()
    assert list(map(content_of, own())) == CONTENTS


def test_each_reads_what_the_other_writes(in_node: Any) -> None:
    page = in_page(in_node, own())
    assert page["read"] == [{"content": content, "version": ABOUT["version"], "isOther": False} for content in CONTENTS]
    assert list(map(content_of, page["made"])) == CONTENTS
    assert [address.rpartition(".")[0] for address in page["made"]] == [address.rpartition(".")[0] for address in own()]


def test_what_is_none_or_damaged_is_refused(in_node: Any) -> None:
    messages = [each["message"] for each in in_page(in_node, [*NONE, *DAMAGED])["read"]]
    none = "this link is not one of the explorer's, or not whole"
    damaged = "this link is damaged: some of its letters are missing or changed"
    assert messages == [none] * len(NONE) + [damaged] * len(DAMAGED)


@pytest.mark.parametrize("about", [ABOUT | {"version": "1.3.0"}, ABOUT | {"identity": "fedcba9876543210"}])
def test_another_build_is_told(about: dict[str, str], in_node: Any) -> None:
    (link,) = in_page(in_node, [encoded(CONTENTS[0], **about)])["read"]
    assert link == {"content": CONTENTS[0], "version": about["version"], "isOther": True}
