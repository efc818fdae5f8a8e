"""The check of the site finds what leads nowhere and what asks the network, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from site_links import problems


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            '<h1 id="here">A</h1><a href="#here">x</a> <a href="b.html#there">y</a> <a href="https://example.org/z">z</a>',
            "",
        ),
        ('<a href="#gone">x</a>', "a.html: #gone: there is no #gone"),
        ('<a href="b.html#gone">x</a>', "a.html: b.html#gone: there is no #gone"),
        ('<a href="c.html">x</a>', "a.html: c.html: there is no such file"),
        ('<img src="gone.svg">', "a.html: gone.svg: there is no such file"),
        ('<a href="https:///x">x</a>', "a.html: https:///x: is no address"),
        ('<script src="https://cdn.example.org/x.js"></script>', "a.html asks for https://cdn.example.org/x.js"),
        ('<link rel="stylesheet" href="//fonts.example.org/x">', "a.html asks for //fonts.example.org/x"),
    ],
)
def test_a_page(body: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(body, encoding="utf-8")
    (tmp_path / "b.html").write_text('<p id="there">', encoding="utf-8")
    assert "\n".join(problems(tmp_path)) == expected


def test_a_style_sheet_that_asks_the_network(tmp_path: Path) -> None:
    (tmp_path / "page.css").write_text("@font-face { src: url('https://fonts.example.org/x.woff') }", encoding="utf-8")
    assert list(problems(tmp_path)) == ["page.css asks for https://fonts.example.org/x.woff"]
