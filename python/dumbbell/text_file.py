"""Text files that users give: read whole, or refused with a reason."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.resources.abc import Traversable
from typing import IO, Final

LARGEST_FILE_BYTES: Final = 16 * 2**20
"""Of a file that people write."""


class Unreadable(ValueError):  # noqa: N818 (who asked for the text makes an error of it, with the file's name)
    """A file that is no text: `message` says why, without the file's name, and `hint` what would be right."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message, self.hint = message, hint


def text_of(file: Traversable, kind: str, *, most_bytes: int = LARGEST_FILE_BYTES) -> str:
    """The text of a file, with line feeds at the ends of lines. `kind` says what it should be: "a TOML file".

    Raises:
        Unreadable: there is none, or it is no text, or too large.
    """
    return _text(lambda: file.open("rb"), kind, most_bytes)


def standard_input(kind: str) -> str:
    """The text that comes by standard input, which has no name on Windows.

    Raises:
        Unreadable: as `text_of`.
    """
    return _text(lambda: nullcontext(sys.stdin.buffer), kind, LARGEST_FILE_BYTES)


def _text(opening: Callable[[], AbstractContextManager[IO[bytes]]], kind: str, most_bytes: int) -> str:
    try:
        with opening() as opened:
            data = opened.read(most_bytes + 1)
    except FileNotFoundError:
        raise Unreadable("no such file", f"give the path of {kind}") from None
    except IsADirectoryError:
        raise Unreadable("is a folder", f"give the path of {kind}") from None
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        raise Unreadable(f"cannot be read: {reason}", f"give the path of {kind}") from None
    if len(data) > most_bytes:
        raise Unreadable(f"is too large for {kind}", f"at most {most_bytes} B")
    text = decoded(data)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise Unreadable(f"is no text: a character in line {line} is NUL", "save it as UTF-8")
    return text


def decoded(data: bytes, errors: str = "strict") -> str:
    r"""Text of bytes: UTF-8, or UTF-16 that says so by its first two bytes, as PowerShell and spreadsheets write it.

    >>> decoded(b"a\r\nb"), decoded(codecs.BOM_UTF16_LE + "ä".encode("utf-16-le"))
    ('a\nb', 'ä')

    Raises:
        Unreadable: it is neither, and `errors` is "strict".
    """
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = data.decode(encoding, errors)
    except UnicodeDecodeError as error:
        name = encoding.removesuffix("-sig").upper()
        line = data.count(b"\n", 0, error.start) + 1
        message = f"is not {name} text: byte {error.start}, in line {line}"
        raise Unreadable(message, "save it as UTF-8") from None
    return io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)
