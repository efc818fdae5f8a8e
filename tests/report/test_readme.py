"""A README inside of a page."""

from __future__ import annotations

from dumbbell.report.readme import html
from reported import NASTY
from webpage import Webpage

TEXT = f"""# study

First words with {NASTY}, *stressed*, and [a file](claims.toml), [the RFC](https://www.rfc-editor.org/rfc/rfc9438).

![Loss against queue](../../docs/figure7.png)

## How it is run

| file | flows |
|---|---:|
| `a.toml` | 4 |

### Deeper
"""


def test_headings_go_below_those_of_the_page_and_the_title_is_left_to_it() -> None:
    page = Webpage(html(TEXT))
    assert [tag for tag, _ in page.elements if tag.startswith("h")] == ["h3", "h4"]
    assert page.said.strip().startswith("First words")


def test_it_is_text_and_asks_for_nothing() -> None:
    page = Webpage(html(TEXT))
    assert NASTY not in page.text
    assert NASTY in page.said
    assert page.named("img") == []
    assert [attributes["href"] for attributes in page.named("a")] == ["https://www.rfc-editor.org/rfc/rfc9438"]
    assert "a file, the RFC" in page.said.replace(" ,", ",")
    assert page.open == []


def test_tables_are_tables() -> None:
    page = Webpage(html(TEXT))
    assert len(page.named("td")) == 2
    assert "a.toml" in page.said
