"""Files with a few slips or some malice in them, drawn from good ones: the same again for the same seed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

TOKENS = (
    b"", b"0", b"-1", b"-0.0", b"1e999", b"-1e999", b"1e-999", b"1e308", b"5e-324", b"NaN", b"nan", b"inf", b"-inf",
    b"9" * 400, b"9" * 5000, b"18446744073709551616", b"9223372036854775807", b"0x10", b"1_000", b"1,5", b"1.2.3",
    "١٢".encode(), "\uff14".encode(), b"true", b"null",
    b"1979-05-27T07:32:00Z", b'""', b"[]", b"{}", b"[[1]]", b'["a"]',
    b"\0", b"\x1b[2J", b"\x7f", b"\x9b", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe",
    "\u202e".encode(), "\u2028".encode(), "\u00a0".encode(), "\U0001f600".encode(), "ﬀ".encode(), "İ".encode(),
    b"[" * 3000, b"{" * 3000, b"(" * 3000, b"-" * 3000, b"a." * 3000, b"a" * 70000, b'{"a":' * 3000,
    b";", b",", b"\t", b" ", b"'", b'"', b'"""', b"#", b"=", b"\n", b"\r", b"\r\n", b"\\", b"%", b"/", b":", b"*", b"|",
    b"zip", b"seeds", b"path", b"flows[0].cc", b"flows", b"name", b"bbr", b"bbr[cwnd_gain=1e999]", b"../../x",
    b"1 Mbit/s", b"10 ms", b"1 bdp", b"1 packets", b"50 %", b"until done",
)  # fmt: skip
"""What stands in the place of a word, or between two letters."""
_WORD = re.compile(rb"[A-Za-z0-9_.+-]+")
MOST_SLIPS = 4


def mutated(examples: Sequence[bytes], random: Random) -> bytes:
    """One of the examples, with one to four slips."""
    data = random.choice(examples)
    for _ in range(random.randint(1, MOST_SLIPS)):
        data = random.choice(_SLIPS)(data, examples, random)
    return data


def _flipped(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    place = random.randrange(len(data) or 1)
    return (
        data[:place] + bytes(each ^ (1 << random.randrange(8)) for each in data[place : place + 1]) + data[place + 1 :]
    )


def _inserted(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    place = random.randint(0, len(data))
    return data[:place] + random.choice(TOKENS) + data[place:]


def _replaced(data: bytes, examples: Sequence[bytes], random: Random) -> bytes:
    """Another token, or another word of the examples, where a word was."""
    matches = list(_WORD.finditer(data))
    if not matches:
        return _inserted(data, examples, random)
    word = random.choice(matches)
    others = _WORD.findall(random.choice(examples))
    new = random.choice(TOKENS) if random.random() < 0.6 or not others else random.choice(others)
    return data[: word.start()] + new + data[word.end() :]


def _cut(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    first, last = sorted((random.randint(0, len(data)), random.randint(0, len(data))))
    return data[:first] + data[last:] if random.random() < 0.7 else data[:last]


def _doubled(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    first, last = sorted((random.randint(0, len(data)), random.randint(0, len(data))))
    return data[:last] + data[first:]


def _spliced(data: bytes, examples: Sequence[bytes], random: Random) -> bytes:
    other = random.choice(examples)
    return data[: random.randint(0, len(data))] + other[random.randint(0, len(other)) :]


def _lines_moved(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    lines = data.split(b"\n")
    line = lines.pop(random.randrange(len(lines)))
    for _copy in range(random.randrange(3)):
        lines.insert(random.randint(0, len(lines)), line)
    return b"\n".join(lines)


_SLIPS: tuple[Callable[[bytes, Sequence[bytes], Random], bytes], ...] = (
    _flipped, _inserted, _replaced, _replaced, _replaced, _cut, _doubled, _spliced, _lines_moved,
)  # fmt: skip
