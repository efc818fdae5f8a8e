"""Tables fit the terminal: columns go, texts are broken between words, and numbers continue under one another."""

from __future__ import annotations

import pytest

from dumbbell.tables.plain_text import lay_out, streamed, text
from dumbbell.tables.table import Amount, Cell, Column, Table

TEXT = "as many words as there are in a sentence"


def laid_out(headings: tuple[str, ...], rows: list[tuple[Cell, ...]], width: int) -> list[str]:
    return text(Table.of(headings, rows), width).splitlines()


def test_numbers_stand_to_the_right_and_plus_minus_under_plus_minus() -> None:
    rows: list[tuple[Cell, ...]] = [("bbr", Amount(12.04, 1.369)), ("cubic", Amount(5.0)), ("reno", None)]
    assert laid_out(("cc", "Mbit/s"), rows, 80) == [
        "cc         Mbit/s",
        "bbr    12.0 ± 1.4",
        "cubic  5.00",
        "reno      -",
    ]


def test_a_heading_is_no_wider_than_its_cells_where_it_can_be_broken() -> None:
    assert laid_out(("cc", "queueing delay ms"), [("bbr", 1), ("cubic", 20)], 80) == [
        "       queueing",
        "cc     delay ms",
        "bbr           1",
        "cubic        20",
    ]


def test_a_text_is_broken_in_its_column() -> None:
    assert laid_out(("name", "n", "text"), [("one", 1, TEXT), ("two", 2, "short")], 32) == [
        "name  n  text",
        "one   1  as many words as there",
        "         are in a sentence",
        "two   2  short",
    ]


def test_a_text_without_room_stands_below() -> None:
    assert laid_out(("name", "number", "text"), [("one", 1_000_000_000, TEXT)], 30) == [
        "name      number",
        "one   1000000000",
        "    as many words as there are",
        "    in a sentence",
    ]


def test_numbers_without_room_stand_under_others() -> None:
    rows: list[tuple[Cell, ...]] = [("one", 11111111, 22222222, 33333333), ("two", 1, 2, 3)]
    assert text(Table.of(("name", "a", "b", "c"), rows), 24).split("\n\n") == [
        text(Table.of(("name", "a", "b"), [row[:3] for row in rows]), 80),
        text(Table.of(("name", "c"), [(row[0], row[3]) for row in rows]), 80),
    ]


@pytest.mark.parametrize(("width", "left_out"), [(40, []), (20, ["c"]), (14, ["b", "c"])])
def test_what_is_spare_goes_first(width: int, left_out: list[str]) -> None:
    columns = [Column("name", key=True), Column("a"), Column("b", spare=1), Column("c", spare=2)]
    table = lay_out(Table(columns, [("one", 11111111, 2222, 33333333)]), width)
    assert table.left_out == left_out
    assert max(map(len, table.lines)) <= width


def test_keys_that_need_too_much_room_stand_above_their_rows() -> None:
    columns = [Column("path.buffer", key=True, axis=True), Column("cc", key=True), Column("share")]
    rows: list[tuple[Cell, ...]] = [("a very long buffer", "bbr", 0.5), ("", "cubic", 0.25)]
    assert text(Table(columns, rows), 30).splitlines() == [
        "  cc     share",
        "path.buffer = a very long",
        "    buffer",
        "  bbr    0.500",
        "  cubic  0.250",
    ]


def test_a_title_stands_above_the_first_line_of_a_broken_text() -> None:
    columns = [Column("path.buffer", key=True, axis=True), Column("cc", key=True), Column("text")]
    rows: list[tuple[Cell, ...]] = [("a long buffer", "bbr", TEXT), ("", "cubic", "short")]
    assert text(Table(columns, rows), 29).splitlines() == [
        "  cc     text",
        "path.buffer = a long buffer",
        "  bbr    as many words as",
        "         there are in a",
        "         sentence",
        "  cubic  short",
    ]


@pytest.mark.parametrize(("others", "repeated"), [([3], 1), (["d" * 30, "e" * 30], 1), (["d" * 64, "e" * 64], 2)])
def test_a_value_wider_than_any_terminal_is_broken_anywhere(others: list[Cell], repeated: int) -> None:
    lines = laid_out(("spec", *("other" for _ in others)), [("x" * 330, *others)], 70)
    assert max(map(len, lines)) <= 70
    assert "".join(lines).count("x") == 330 * repeated


def test_a_table_of_any_length_comes_in_pieces() -> None:
    rows: list[tuple[Cell, ...]] = [("bbr", nth) for nth in range(4000)]
    pieces = list(streamed(("cc", "n"), rows, None))
    lines = "\n".join(pieces).splitlines()
    assert (len(pieces), len(lines), lines[0], lines[-1]) == (2, 4001, "cc      n", "bbr  3999")
    assert list(streamed(("cc", "n"), [], None)) == ["cc  n"]
    assert [piece.splitlines()[0] for piece in streamed(("cc", "n"), rows, 80)] == ["cc      n", "cc      n"]
