"""Notebooks as Jupyter would run them, without it: cells one after the other, and what each displays.

`python tests/support/notebook.py FILE...` runs notebooks and keeps their outputs in them.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STORED_TYPES = ("text/html", "image/png")
"""Beside plain text. A chart that can be zoomed is made anew by who runs the notebook."""
PICTURE = "image/png"


def read(path: Path) -> dict[str, Any]:
    """A notebook of format 4."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return notebook


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Its cells that can be run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(notebook: dict[str, Any], name: str, names: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """What each cell prints and displays as it is run; `names` has afterwards what the cells defined."""
    for count, cell in enumerate(code_cells(notebook), 1):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        tree.body = tree.body[:-1] if last is not None else tree.body
        printed, value = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, f"{name}, cell {count}", "exec"), names)  # noqa: S102 (that is what it is for)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), f"{name}, cell {count}", "eval"), names)  # noqa: S307
        cell_outputs: list[dict[str, Any]] = []
        if printed.getvalue():
            cell_outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
        if value is not None:
            data = {"text/plain": _lines(repr(value))} | _rich(value)
            cell_outputs.append(
                {"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}
            )
        yield cell_outputs


def keep(path: Path) -> None:
    """Runs a notebook and writes its outputs into it."""
    notebook = read(path)
    cells = code_cells(notebook)
    for count, (cell, cell_outputs) in enumerate(
        zip(cells, outputs(notebook, path.name, {"__name__": "__main__"}), strict=True), 1
    ):
        cell |= {"execution_count": count, "outputs": cell_outputs}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _rich(value: object) -> dict[str, Any]:
    bundle: dict[str, Any] = getattr(value, "_repr_mimebundle_", dict)()
    html = getattr(value, "_repr_html_", None)
    if html is not None:
        bundle["text/html"] = html()
    return {
        kind: _smaller(own) if kind == PICTURE else _lines(own) for kind, own in bundle.items() if kind in STORED_TYPES
    }


def _smaller(picture: str) -> str:
    """The same pixels in a third of the bytes: a repository keeps every version."""
    data = base64.b64decode(picture)
    chunks, at, packed = [], 8, b""
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        packed += body if kind == b"IDAT" else b""
        chunks.append((kind, body))
        at += 12 + length
    pixels = zlib.compress(zlib.decompress(packed), 9)
    first = next(number for number, (kind, _) in enumerate(chunks) if kind == b"IDAT")
    others = [(kind, body) for kind, body in chunks if kind != b"IDAT"]
    rebuilt = data[:8]
    for kind, body in [*others[:first], (b"IDAT", pixels), *others[first:]]:
        rebuilt += len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")
    return base64.b64encode(rebuilt).decode()


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        keep(Path(argument))
