"""What Python says of many texts, for the page's twins: `python explorer/tests/cases.py` writes the cases anew.

They are in `node/cases`. A value that JSON cannot tell apart is a table with one key: {"int": "5"}, {"float": "5.0"}, {"table": [[key, value]]}.
"""

# ruff: noqa: DTZ001, E501, Q003 (TOML's dates have no zone; a text stands on one line; cases are no secrets)

from __future__ import annotations

import datetime as dt
import difflib
import json
import random
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from pydantic_core import PydanticCustomError

import dumbbell.metrics.number as number
import dumbbell.problem as problem
import dumbbell.spec.quantity as quantity
import dumbbell.spec.tables as tables
import dumbbell.spec.words as words
import dumbbell.spreadsheet as spreadsheet
from dumbbell.explorer.tables import page_tables
from dumbbell.spec.quantity import Quantity, QuantityError
from dumbbell.spec.writer import toml

FOLDER: Final = Path(__file__).parent / "node" / "cases"
SEED: Final = 20
LONGEST_CHANGED: Final = 1000
"""Of the texts that are broken at random."""
LARGEST_DOUBLE: Final = int(sys.float_info.max)
KINDS: Final[tuple[type[Quantity], ...]] = (
    quantity.Rate, quantity.Time, quantity.Frequency, quantity.Share, quantity.Bytes, quantity.Size,
    quantity.Moment, tables.Duration, tables.SocketMemory, tables.Jitter,
)  # fmt: skip
TABLES: Final = ("quantities", "wishes", "meant", "places", "most_words", "lists")

NUMBERS: Final = (
    "80", "0", "0.0", "1", "5.", ".5", "0.5", "1.5", "2.5", "3.5", "0.25", "12.345", "1e3", "1E3", "1e+3",
    "1e-3", "2.5e-7", "1e60", "1e61", "1e400", "1e-60", "1e-400", "0.4", "0.6", "0.0000000005", "0.0000000015",
    "0.0000000025", "1514", "999999", "1000000", "1000001", "123456789012345678901234567890",
    "0.123456789012345678901234567890", "100000000000000000001", "00080", "4.5", "300", "1e15",
)  # fmt: skip
SIGNS: Final = ("", "-", "+", "--", "- ")
UNITS: Final = (
    "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "mbit", "MBIT", "Mbit", "mbit/S", "bit", "kbps", "Mbps",
    "mbps", "bps", "mb/s", "Mb", "b", "B", "MB/s", "kB/s", "KiB/s", "MiB/sec", "GiB", "TB/s", "TiB/s", "iB/s",
    "Mbits", "mbit/sec", "bitps", "Mbit /s", "Mbit/s/s", "baud", "ns", "us", "ms", "s", "min", "m", "h", "sec",
    "Seconds", "msec", "MSEC", "usec", "\u00b5s", "\u03bcs", "\u039cs", "nsec", "minutes", "mss", "M S", "/s",
    "Hz", "hz", "per s", "per second", "/sec", "1/s", "/ms", "/min", "/h", "%", "percent", "ppm", "\u2030",
    "kB", "MB", "GB", "KB", "kb", "K", "m", "G", "g", "KiB", "MiB", "kib", "TB", "kbit", "Mbits", "bits",
    "unlimited", "gemodel", "bytes", "packets", "packet", "Packets", "pkt", "bdp", "BDP", "bdps", "x", "\u00df", "\U0001f600",
    "\u212abit/s", "\x1cms", "ms\x1f", "\ufeffms", "ms\u00a0", "\tms", "m\ns", "m\u2028s", "ecn", "bbr2",
)  # fmt: skip
TEXTS: Final = (
    "", " ", "  80  Mbit/s  ", "80Mbit/s", "80 \tMbit/s", "\t80 Mbit/s\n", "\u00a080 Mbit/s", "\ufeff80 Mbit/s",
    "80\u00a0Mbit/s", "fast", "nan", "NaN s", "inf", "-inf s", "+Infinity", "infinitys", "information", "nano",
    "nan_", "nan.", "nan\u00e9", "\u0131nf", "\u0130NF", "inf\u0301", "nan\u00b2", "1,5 s", "1_000 s", "0x10 s",
    "1e s", "e5 s", ". s", "1.2.3 s", "5 5 s", "\u0665 s", "until done", "Until done", "until  done", "max",
    "default", "Max", "none", "None", " none", "1e9999 Mbit/s", "7" * 61 + " s", "7" * 79 + " s",
    "1" * 77 + " ms", "1" * 78 + " ms", "\U0001f600" * 59, "\U0001f600" * 60, "\U0001f600" * 61,
    "\U0001f600" * 81, "a" * 60, "a" * 61, "x\x00y", "x\ty", "caf\u00e9", "\u200b5 s", "5 \u200bs", "5 s\x85",
    '5 "s"', "5 \\s", "\ud7ff 1", "1e00000000000000000000005 s", "999.5 us", "0.5 ns", "1.5 ns", "2.5 ns",
    "0.5000000001 ns", "1 ms", "0.999999 ms", "1000000 s", "1000001 s", "4 kB", "3.999 kB", "2 GiB",
    "2.0000000001 GiB", "4 s", "4.1 s", "0 s", "0 packets", "0.5 packet", "1.5 packets", "2.5 packets",
    "0.3 packets", "1e-10 packet", "0 bdp", "1e-10 bdp", "100 %", "0.00000001 %", "0.00000005 %",
    "0.00000015 %",
)  # fmt: skip
VALUES: Final = (
    5, 0, -5, 80, 999999, 1000000, 10**15 - 1, 10**15, -(10**15), 10**400, 2**1000 - 1, 2**1000, 5.0, -5.0,
    -0.0, 0.1, 1e-5, 1e16, 1e22, 123456.789, 1e15, 999999.5, float("nan"), float("inf"), -float("inf"), True,
    False, None, [], ["1 s"], {}, {"a": 1}, dt.date(2020, 1, 1), dt.time(1, 2),
    dt.datetime(2020, 1, 1),
)  # fmt: skip

BROKEN: Final = (
    "a", "a =", "a = ", "= 1", "a = 1 b = 2", "a = 1\nb", "a b = 1", "a. = 1", ".a = 1", "a..b = 1", "a.b",
    "a = 1\na = 2", "a = 1\n[a]", "a = 1\n[a.b]", "a = 1\n[[a]]", "a = 1\na.b = 2", "[a]\n[a]",
    "[a]\nb = 1\n[a]", "[a.b]\n[a]\nb = 1", "[[a]]\n[a]", "[a]\n[[a]]", "a = []\n[[a]]", "a = [{}]\n[[a]]",
    "a = {}\n[a]", "a = {}\n[a.b]", "a = {}\na.b = 1", "a = {b = 1}\na.c = 2", "[a", "[a.", "[", "[]", "[a]]",
    "[ a ] b", "[a]b = 1", "[[a", "[[a]", "[[a] ]", "[[]]", "[ [a]]", "[a.b]\n[a.b]", "a.b = 1\n[a]",
    "a.b = 1\n[a.b]", "[a]\nb.c = 1\n[a.b]", "[a]\nb.c = 1\n[a.b.d]\n", "[t]\na.b = 1\n[t.a]\nc = 2", "a = tru",
    "a = True", "a = falsey", "a = nil", "a = 01", "a = +", "a = 1.", "a = .5", "a = 1e", "a = 1_", "a = 1__0",
    "a = 0x", "a = 0xg", "a = 0b2", "a = 0o8", "a = -0x1", "a = 1.e5", "a = 80 Mbit/s", "rate = 80mbit",
    "a = 1 ms", 'a = "x', 'a = "x\n"', "a = 'x", "a = 'x\n'", 'a = """x', 'a = """x""', "a = '''x",
    "a = '''x''", 'a = "\\x"', 'a = "\\', 'a = "\\u12"', 'a = "\\u12g4"', 'a = "\\ud800"', 'a = "\\U00110000"',
    'a = "\\U0001F60"', 'a = "\\U0001F600"x', 'a = "\\\U0001f600"', 'a = "\\\U0001f600',
    '\na = "\U0001f600\U0001f600\\q"', 'a = """\\ x"""', 'a = """\\  ', 'a = "\x00"', 'a = "\x1f"',
    'a = "\x7f"', 'a = "tab\there"\nb', "a = '\x01'", "a = '''\x0b'''", 'a = """\r"""', "a = 1 # \x02",
    "# \x7f", "a = 1\rb = 2", "a = 1\r\nb", "a = [1", "a = [1,", "a = [1,,2]", "a = [,]", "a = [1 2]",
    "a = [\n1\n2]", "a = [1, # c\n2", "a = [1 # \x00\n]", "a = {", "a = {b", "a = {b = 1", "a = {b = 1,",
    "a = {b = 1,}", "a = {b = 1, b = 2}", "a = {b = 1, b.c = 2}", "a = {b.c = 1, b = 2}",
    "a = {b = {}, b.c = 2}", "a = {b = [1], b.c = 2}", "a = {b = 1 c = 2}", "a = {\nb = 1}", "a = {b = 1\n}",
    "a = {'it''s' = 1}", "a = {\"it's\" = 1, \"it's\" = 2}", "a = {'q\"' = 1, 'q\"' = 2}",
    "a = {\"\\t\\u0001\\u00e9\\u200b\" = 1, \"\\t\\u0001\\u00e9\\u200b\" = 2}", "['a (at b']\n['a (at b']",
    "[a.'b c'.\"d'e\"]\n[a.'b c'.\"d'e\"]", "[\U0001f600]", "\U0001f600", "a = \U0001f600", "\u00e9 = 1",
    "a = 'x' \U0001f600 y", "a = '\U0001f600' b", "\ufeffa = 1", "a = 2020-13-01", "a = 2020-02-30",
    "a = 2019-02-29", "a = 1900-02-29", "a = 0000-01-01", "a = 2020-01-32", "a = 2020-1-1", "a = 24:00:00",
    "a = 12:60:00", "a = 12:00", "a = 2020-01-01T25:00:00", "a = 2020-01-01T00:00:00+24:00", "a = 2020-01-01x",
    "a = infinity", "a = nano", "a = +nam", "a = --1", "a = " + "9" * 4301, "a = -" + "9" * 4301,
    "a = " + "[" * 900, "a = " + "{a=" * 900, '"""a""" = 1', "'''a''' = 1", '"" = 1\n"" = 2', "a = 1;", "a: 1",
    "[path]\nrate = \"80 Mbit/s\n", "[path]\n  rtt = 25 ms\n", "flows = [{cc = \"bbr\"}, {cc = 'cubic}]",
    "[[flows]]\ncc = 'a'\n[flows]\n", "[[flows]]\n[[flows.x]]\n[flows.x]\n", "[a]\n[a.b.c]\n[a]\n",
    "[[a.b]]\n[a]\nb.c = 1", "a.b.c = 1\na.b = 2", "[x.y]\n[x]\ny.z = 1\n",
)  # fmt: skip
PROPER: Final = (
    "", "\n\n", "# nothing", "a = 1", "a=1#x", "a.b.c = 1\na.d = 2\n", "[a]\n[b]\n[a.c]\n",
    "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3\n[[a.e]]\n[[a.e]]\n", '"" = 1', "'a.b' = 1\n\"c\\td\" = 2\n",
    "1 = 1\n2.3 = 4\n-1 = 5\n_ = 6", "a = [1, 2.0, 'x', true, [ ], { }, [[1]], {b.c = 1}]",
    "a = [\n# c\n1, # d\n2,\n]\n",
    "a = 0x1F\nb = 0o17\nc = 0b101\nd = 0xdead_beef\ne = 1_000\nf = +5\ng = -0\nh = -17\n",
    "a = 1.0\nb = 1e5\nc = 1_0.5e+1_0\nd = -0.0\ne = 1e400\nf = 0.1\ng = 6.02e23\nh = 1e-7\n",
    "a = inf\nb = -inf\nc = nan\nd = +nan\ne = +inf\n", "a = 9223372036854775808123\nb = " + "9" * 4300 + "\n",
    "a = 2020-02-29\nb = 2000-02-29\nc = 12:30:00\nd = 12:30:00.5\ne = 12:30:00.1234567\nf = 2020-01-01T00:00:00Z\ng = 2020-01-01 00:00:00.25-05:30\nh = 2020-01-01t01:02:03-00:00\ni = 0001-01-01\nj = 2020-01-01T00:00:00.000\nk = 9999-12-31T23:59:59.999999z\n",
    'a = """\nx"""\nb = """x\\\n   \n  y"""\nc = """"""""\nd = """a""b"""""\ne = """\\u00e9\\U0001F600\\"\\\\"""\nf = "\\b\\t\\n\\f\\r"\n',
    "a = '''\nx'''\nb = ''''x'''''\nc = '''a\nb'''\nd = 'C:\\x'\n", "a = 'x'\r\nb = '''c\r\nd'''\r\n",
    "a = {b = 1, c = {d = [{e = 2}]}}\n", "a.b = {c = 1}\na.d = 2\n", "[a.b]\n[a]\nc = 1\n",
    "a = '\u00e9\U0001f600\u2028'", "a = " + "[" * 300 + "]" * 300,
    'seeds = [1, 5]\n\n[path]\nrate = ["1 Mbit/s", "2 Mbit/s"]\nrtt = "25 ms"\nbuffer = "1 bdp"\n\n[[path.change]]\nat = "20 s"\nrate = "5 Mbit/s"\n\n[[flows]]\ncc = "bbr"\nworkload = { transfer = "100 MB" }\n\n[[flows]]\ncc = ["cubic", "reno"]\ncount = 3\nstart = "5 s"\n',
)  # fmt: skip
WRITTEN: Final[tuple[dict[str, Any], ...]] = (
    {}, {"a": None}, {"measure": {}},
    {"seeds": [1, 5], "path": {"rate": ["1 Mbit/s", "2 Mbit/s"]}, "flows": [{"cc": "bbr"}], "measure": {}},
    {"name": 'x "y" \\ \x00 \x1f \x7f \n \t \b \f \r \u00e9 \U0001f600', "duration": "60 s", "path": {"rate": "80 Mbit/s", "change": [{"at": "20 s", "rate": "1 Mbit/s"}, {"at": "30 s", "rate": "2 Mbit/s"}]}},
    {"flows": [{"cc": "bbr", "workload": {"arrivals": {"load": 0.5}, "size": {"pareto": {"shape": 1.2, "mean": "1 MB"}}}}, {"cc": ["a", "b"], "count": 3, "workload": {}}], "path": {"loss": "1 %"}},
    {"flows": [{"workload": {"command": ["sh", "-c", "x" * 120]}}, {"workload": {"command": [["a", "b"], ["c"]], "user": ["caller", "root"]}}]},
    {"path": {"rate": [f"{i} Mbit/s" for i in range(20)]}, "seeds": list(range(40)), "zip": [["path.rate", "path.rtt"]]},
    {"x": [], "y": [[]], "z": [1.0, 1e16, 1e-5, -0.0, True, False, 10**30, float("inf"), float("nan")], "d": dt.date(2020, 1, 1), "t": dt.time(1, 2, 3, 500000)},
    {"path": {"rate": None, "change": []}, "flows": []},
    {"path": {"a": ["\U0001f600" * 40, "\U0001f600" * 50]}, "n": {"deep": {"er": 1}}},
    {"path": {"a": ["\U0001f600" * 46, "\U0001f600" * 46]}, "odd key": 1},
)  # fmt: skip
COMMANDS: Final = (
    "", "x", "{receiver}", "{sender}:{port}", "{{a}}", "{{", "}}", "{", "}", "a}b", "{{}", "{}}", "{}",
    "{ receiver }", "{reciever}", "{Port}", "{seconds}{}", "x\x00y", "{x}{y}", "{{{port}}}", "{a{b}c}", "\x00{",
    "{ecn}", "{" + "p" * 70 + "}", "\U0001f600{", "{\n}",
)  # fmt: skip
SUGGESTED: Final = (
    ("bbrr", ["bbr", "cubic"]), ("vegas", ["bbr", "cubic"]), ("BBR", ["bbr", "cubic"]), ("", []), ("x", []),
    ("", ["a"]), (5, ["a", "b"]), (None, ["a"]), ([], []), ("ecn", ["a", "b"]), ("ECN", []),
    ("tcp_bbr_v3", ["bbr", "cubic", "reno", "vegas", "x"]), ("FQ-CoDel", ["a", "b", "c", "d"]),
    ("fq codel", ["a", "b", "c", "d", "e"]), ("tcptcpecn", ["ecn"]), ("tcp", ["tc"]), ("tcp-", ["tcp"]),
    ("x", [f"k{i}" for i in range(32)]), ("x", [f"k{i}" for i in range(33)]),
    ("k1", [f"k{i}" for i in range(33)]), ("k1", ["k10", "k11", "k12"]), ("ab", ["ba"]),
    ("abc", ["Abd", "aBD"]), ("rat", ["rate", "rtt", "rated"]), ("rtts", ["rate", "rtt"]),
    ("bufer", ["rate", "rtt", "buffer"]), ("wokload", ["workload"]), ("stopp", ["start", "stop"]),
    ("start_jiter", ["start_jitter", "stop"]), ("a" * 100, ["a" * 60, "a" * 40]),
    ("\U0001f600" * 61, ["\U0001f600" * 60]), ("\U0001f600ab", ["ab", "\U0001f601ab"]), ("\u0130bbr", ["ibbr"]),
    ("STRASSE", ["stra\u00dfe"]), ("\u03a3\u03a3", ["\u03c3\u03c2"]), ("abxcd", ["abcd", "abxd", "xcdab"]),
    ("cubik", ["cubic", "CUBIC"]), ("receiverr", ["{receiver}", "{sender}", "{port}", "{seconds}"]),
    ("qeue", ["queue"]), ("lossy", ["loss"]), ("los", ["loss", "close", "los angeles"]),
    ("ms", ["ns", "us", "ms", "s", "min"]), ("mss", ["ns", "us", "ms", "s", "min"]),
    ("h", ["ns", "us", "ms", "s", "min"]),
)  # fmt: skip
QUOTED: Final = (
    *VALUES, "80 mbps", "", 'a"b', "a\\b", "\x00\x1f\x7f\x80\x9f\xa0\xad", "\u200b\u2028\u3000\ue000\ufeff",
    "\U0001f600", "\U000e0001", "\U0010ffff", " ", "a" * 60, "a" * 61, "\U0001f600" * 60, "\U0001f600" * 61,
    "a" * 58 + "\n\n\n", "e\u0301" * 30, "e\u0301" * 31, 10**59, 10**60, -(10**58), -(10**59), 10**300,
    1.7976931348623157e308,
)  # fmt: skip
FLOATS: Final = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, 0.125, 0.375, 0.0625, 2.675, 1.005, 1e-4, 1e-5, 9.9999e-5, 9.99999e-5,
    9.999995e-5, 0.00012345678, 123456.0, 1234565.0, 1234575.0, 999999.5, 999999.4, 1e6, 1e15, 1e16, 1e17, 1e21,
    1e22, 1.5e300, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 0.2, 0.3, 1 / 3, 2 / 3, 99.95,
    99.94999, 9.995, 0.9995, 999.5, 1000.5, 1001.5, 12.345, 153.24, 235798.4, 1e-9, 9.9e-10, 1.1e-9,
    123456789.125, 0.045, 4503599627370496.5, 9007199254740993.0, 100000.5, 10000.25, 3.14159265358979, 1e23,
    8.5e22, 1e100, 1024.0, 65.5, 0.00048828125, 1.0000005, 10000050.0, float("inf"), -float("inf"),
    float("nan"),
)  # fmt: skip


def encoded(value: object) -> Any:
    """A value as JSON that keeps its type."""
    match value:
        case bool() | str() | None:
            return value
        case int():
            return {"int": str(value)}
        case float():
            return {"float": repr(value)}
        case dict():
            return {"table": [[key, encoded(each)] for key, each in value.items()]}
        case list() | tuple():
            return [encoded(each) for each in value]
        case _:
            return {type(value).__name__: str(value)}


def _read(kind: type[Quantity], value: object) -> dict[str, Any]:
    try:
        found = kind(value)
    except QuantityError as error:
        return {"message": error.message, "hint": error.hint}
    except ArithmeticError as error:  # the page has to say something, and no more
        return {"crash": type(error).__name__}
    if str(found) in found.keywords and not hasattr(found, "value"):
        return {"keyword": str(found)}
    return {"number": str(found.number), "unit": found.unit, "value": str(found.value)}


def _quantities(drawn: random.Random) -> Iterator[dict[str, Any]]:
    """The texts above of each kind; then numbers and units as they come, each of a few kinds."""
    for value in (*TEXTS, *VALUES):
        yield {"value": encoded(value), "read": {kind.__name__: _read(kind, value) for kind in KINDS}}
    texts = [f"{each} {unit}" for unit in UNITS for each in drawn.sample(NUMBERS, 2)]
    texts += [f"{drawn.choice(SIGNS)}{each}{drawn.choice(['', ' ', '   '])}{drawn.choice(UNITS)}" for each in NUMBERS]
    texts += [f"{each}{unit}" for unit in ("", " bdp", " MB/s", "KiB/s", " Mbit", " /min") for each in NUMBERS]
    for text in dict.fromkeys(texts):
        kinds = drawn.sample(KINDS, 3)
        yield {"value": text, "read": {kind.__name__: _read(kind, text) for kind in kinds}}


def _shown() -> Iterator[dict[str, Any]]:
    amounts = [
        0,
        1,
        2,
        9,
        10,
        999,
        1000,
        1001,
        1514,
        25_000_000,
        100_000,
        10**7,
        10**9,
        10**9 + 1,
        60 * 10**9,
        2**30,
        2**63,
        10**18 + 1,
        123456789012345678901234567890123,
        10**40,
        15 * 10**27 + 5,
    ]
    for value in amounts:
        yield {"value": str(value), "shown": {kind.__name__: kind.show(value) for kind in KINDS}}


def _moments() -> Iterator[dict[str, Any]]:
    for text in ("20 s", "50 %", "33.3333 %", "0.00000015 %", "100 %", "150 %", "1 min"):
        for duration in (60 * 10**9, 1, 3, 5, 10**15 + 1):
            yield {"text": text, "duration": str(duration), "ns": str(quantity.Moment(text).ns(duration))}


def _order() -> Iterator[dict[str, Any]]:
    for text in (
        "1e1 Mbit/s",
        "5",
        "-5",
        "1.2.3",
        "bbr",
        "500 kbit/s",
        "10mbit",
        "5 rounds",
        "5 %",
        "5 /s",
        "5 +x",
        "5 \u00e9",
        "5 \u2160",
        "1e99 s",
        "-1e-99 x",
        "0.1 foo",
        "2 bdp",
        "3 packets",
        "1 ms",
        "9" * 81,
        "-5 ms",
        "5 5",
    ):
        yield {"text": text, "pair": quantity.number_and_unit(text), "magnitude": quantity.magnitude(text)}


def _errors(text: str) -> dict[str, Any]:
    try:
        return {"words": encoded(tomllib.loads(text))}
    except tomllib.TOMLDecodeError as error:
        return {"error": str(error)}
    except (ValueError, RecursionError):
        return {"beyond": True}


def _toml(drawn: random.Random) -> Iterator[dict[str, Any]]:
    texts = [*BROKEN, *PROPER]
    signs = [
        *"[]{}=.,#\"'\\ \n\t\r10ae-_+:TZ",
        "\U0001f600",
        "\x00",
        "\u00e9",
        '"""',
        "'''",
        "[[",
        "]]",
        "\\u0041",
    ]
    for _ in range(400):
        source = drawn.choice([each for each in PROPER if 0 < len(each) < LONGEST_CHANGED])
        for _ in range(drawn.randint(1, 3)):
            place = drawn.randrange(len(source) + 1)
            source = source[:place] + drawn.choice(["", drawn.choice(signs)]) + source[place + drawn.choice([0, 1]) :]
        texts.append(source)
    for text in dict.fromkeys(texts):
        yield {"text": text, **_errors(text)}


def _writer() -> Iterator[dict[str, Any]]:
    for each in WRITTEN:
        yield {"words": encoded(each), "toml": toml(each)}


def _words() -> Iterator[dict[str, Any]]:
    for word in COMMANDS:
        fault = None
        try:
            words._proper_word(word)
        except PydanticCustomError as error:
            fault = error.context
        yield {"word": word, "places": list(words.places([word])), "fault": fault}


def _problems() -> Iterator[dict[str, Any]]:
    for value in QUOTED:
        yield {"quoted": encoded(value), "text": problem.quoted(value)}
    for word, known in SUGGESTED:
        yield {"suggestion": [encoded(word), known], "text": problem.suggestion(word, known)}
    for word in (
        *problem._INSTEAD,
        "bbrr",
        "TCP-BBR2",
        "t c p ecn",
        "tcp",
        "",
        "tcptcpcodel",
        "constructor",
        "__proto__",
    ):
        yield {"instead": word, "text": problem.instead_of(word)}


def _close(drawn: random.Random) -> Iterator[dict[str, Any]]:
    names = [
        "rate",
        "rtt",
        "buffer",
        "loss",
        "jitter",
        "queue",
        "mtu",
        "cc",
        "count",
        "start",
        "stop",
        "workload",
        "access",
        "sndbuf",
        "rcvbuf",
        "cubic",
        "bbr",
        "reno",
        "vegas",
        "westwood",
        "htcp",
        "seeds",
        "duration",
        "measure",
        "{receiver}",
    ]
    letters = "abcdertuv{}_"
    for _ in range(250):
        word = list(drawn.choice(names))
        for _ in range(drawn.randint(1, 4)):
            place = drawn.randrange(len(word) + 1)
            word[place : place + drawn.choice([0, 1, 1])] = drawn.choice([[], [drawn.choice(letters)]])
        text = "".join(word)
        known = drawn.sample(names, 12)
        yield {
            "word": text,
            "known": known,
            "close": difflib.get_close_matches(text, known, n=3),
            "first": difflib.get_close_matches(text, known, n=1),
        }


def _numbers(drawn: random.Random) -> Iterator[dict[str, Any]]:
    values = [*FLOATS, *(drawn.uniform(-1, 1) * 10 ** drawn.randint(-12, 20) for _ in range(150))]
    values += [drawn.randint(1, 4000) / 2 ** drawn.randint(1, 12) for _ in range(150)]
    for value in values:
        yield {
            "value": repr(value),
            "general": [f"{value:g}", f"{value:.3g}", f"{value:.1g}", f"{value:.17g}"],
            "fixed": [f"{value:.0f}", f"{value:.2f}", f"{value:,.0f}", f"{value:+.1f}"],
            "amount": [number.amount(value), number.amount(value, 0.5), number.amount(value, scale=1e-6, unit=" x", signed=True), number.percent(value), number.trimmed(value)],
        }  # fmt: skip


def _integers() -> Iterator[dict[str, Any]]:
    for value in (0, 1, -1, 12, 999, 1000, -1000, 123456, 1234567, 10**30, -(10**6)):
        yield {
            "value": str(value),
            "thousands": f"{value:,}",
            "counted": number.counted(value, "run"),
            "general": f"{value:g}",
            "fixed": f"{value:,.1f}",
        }


def _texts() -> Iterator[dict[str, Any]]:
    for text in (
        "", "a", "it's", '"', "it's \"", "\\", "\n\r\t\x0b\x00\x1f\x7f", "\x80\x9f\xa0\xad\u00e9", "\u200b\u2028\ue000\ufeff", "\U0001f600\U000e0001\U0010ffff", " \x1c\x85x\u3000\u2029", "\ufeffx\ufeff", "\u1680x\u180e", "\u0378\u0300", "\ufffd", "a\u200d",
    ):  # fmt: skip
        yield {
            "text": text,
            "repr": repr(text),
            "json": json.dumps(text),
            "strip": text.strip(),
            "printable": text.isprintable(),
            "length": len(text),
        }


def _records() -> Iterator[dict[str, Any]]:
    for value in (
        {},
        [],
        {"b": 1, "a": [1.0, 1e16, None, True, "x\u00e9\n/"], "\U0001f600": {}, "\uffff": -0.5, "10": 0, "9": 10**20},
        [float("inf"), float("nan"), 1e-7],
    ):
        yield {"value": encoded(value), "json": json.dumps(value, sort_keys=True, separators=(",", ":"))}


def _fractions(drawn: random.Random) -> Iterator[dict[str, Any]]:
    pairs = [(n, d) for n in range(-7, 8) for d in (1, 2, 3, 4)]
    pairs += [(drawn.randint(-(10**9), 10**9), drawn.randint(1, 10**6)) for _ in range(60)]
    pairs += [
        (drawn.getrandbits(drawn.randint(1, 400)) + 1, drawn.getrandbits(drawn.randint(1, 400)) + 1) for _ in range(150)
    ]
    pairs += [
        (2**53 + 1, 1),
        (2**54 + 2, 1),
        (2**54 + 6, 1),
        (2**53 + 1, 2**53),
        (1, 2**1074),
        (1, 2**1075),
        (3, 2**1075),
        (2**52 + 1, 2**1075),
        (1, 10**400),
        (10**308, 3),
        (2**1024 - 2**971, 1),
        (2**53 - 1, 2**1075),
    ]
    for n, d in pairs:
        fraction = Fraction(n, d)
        if abs(fraction) > LARGEST_DOUBLE:
            continue
        yield {
            "n": str(n),
            "d": str(d),
            "text": str(fraction),
            "round": str(round(fraction)),
            "floor": str(fraction.__floor__()),
            "ceiling": str(fraction.__ceil__()),
            "float": repr(float(fraction)),
        }
    for text in ("1.5", "-1.5e3", ".5", "5.", "1e-3", "+7", "0.1", "00.10"):
        yield {"decimal": text, "text": str(Fraction(text))}
    for value in (0.1, -2.5, 5e-324, 1e300, 0.0):
        yield {"double": repr(value), "text": str(Fraction(value))}


def _cells() -> Iterator[object]:
    texts = (
        '=HYPERLINK("http://x")', "+1+1", "-1+1", "@SUM(A1)", "\tx", "\rx", "\nx", "'tis", "\uff1d1", "\uff0b1",
        "-1.5", "+1", "-1e-7", "-", "--", "-inf", "-Infinity", "-0.5 \u00b1 0.1", "-0.5 \u00b1 =1", "-5x", "bbr", "", "1=1",
        "-1.5.2", "-.5", "-5.", "-\u0661",
    )  # fmt: skip
    yield from ({"text": text, "cell": spreadsheet.cell(text)} for text in texts)


def _write(name: str, cases: Iterable[object]) -> None:
    """One case on each line, so that a change shows as a line."""
    lines = ",\n".join(json.dumps(case) for case in cases)
    (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="ascii")


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    every: dict[str, Callable[[], Iterable[object]]] = {
        "quantities": lambda: _quantities(random.Random(SEED)),
        "shown": _shown,
        "moments": _moments,
        "order": _order,
        "toml": lambda: _toml(random.Random(SEED)),
        "writer": _writer,
        "words": _words,
        "problems": _problems,
        "close": lambda: _close(random.Random(SEED)),
        "numbers": lambda: _numbers(random.Random(SEED)),
        "integers": _integers,
        "texts": _texts,
        "records": _records,
        "fractions": lambda: _fractions(random.Random(SEED)),
        "cells": _cells,
        "tables": lambda: [{key: value for key, value in page_tables().items() if key in TABLES}],
    }
    for name, cases in every.items():
        _write(name, cases())


if __name__ == "__main__":
    main()
