"""A table of measured points makes an experiment, or says everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dumbbell.hosts.columns import Column, Measurand, column
from dumbbell.hosts.points import HostMeasurements, Measured, read
from dumbbell.hosts.sheet import MOST_ROWS, Renamed
from dumbbell.problem import Problem, SpecError

SPEC = """
duration = "5 s"

[path]
rate = "10 Mbit/s"
rtt = "40 ms"
buffer = "1 bdp"

[[flows]]
cc = "bbr"

[[flows]]
name = "other"
cc = "cubic"
"""
HEADER = "path.buffer (kB),flows[1].cc,goodput.bbr (Mbit/s)"


def measurements(tmp_path: Path, *lines: str, spec: str = SPEC) -> HostMeasurements:
    """What is read of a table with these lines."""
    table = tmp_path / "points.csv"
    table.write_text("\n".join(lines), encoding="utf-8")
    return read(table, spec)


def problems(tmp_path: Path, *lines: str, spec: str = SPEC) -> list[str]:
    """What is wrong with it."""
    with pytest.raises(SpecError) as refused:
        measurements(tmp_path, *lines, spec=spec)
    return [str(each).replace(f"{tmp_path}/", "") for each in refused.value.problems]


@pytest.mark.parametrize("text", ["a", "=b", "a=b:x1.2.3", "a=b:x1e9", "a=b:x"])
def test_a_renaming_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match="names nothing"):
        Renamed.of(text)


def test_headings_of_others_are_renamed_and_their_numbers_multiplied(tmp_path: Path) -> None:
    table = tmp_path / "theirs.csv"
    table.write_text("rate,loss_rate,who\n8.5,0.001,me\n7,1e999999999,me\n6,some,me\n", encoding="utf-8")
    renamed = [Renamed.of("loss_rate=path.loss:x100"), Renamed.of("rate=goodput.bbr (Mbit/s)")]
    with pytest.raises(SpecError) as refused:
        read(table, SPEC, renamed=renamed)
    assert [str(each).partition(":")[0] for each in refused.value.problems] == [
        "theirs.csv line 3, path.loss (%)", "theirs.csv line 4, path.loss (%)",
    ]  # fmt: skip
    table.write_text("rate,loss_rate,who\n8.5,0.001,me\n", encoding="utf-8")
    (row,) = read(table, SPEC, renamed=renamed).rows
    assert (dict(row.at), row.notes) == ({"path.loss": "0.1 %"}, {})
    assert row.measured[Measurand("goodput", "bbr")] == Measured(8.5e6, None)


def test_what_iperf3_wrote_is_a_row_a_test(tmp_path: Path) -> None:
    test = (
        '{"end": {"sum_received": {"bytes": 11000000, "seconds": 10.0}, "sender_tcp_congestion": "cubic",'
        ' "streams": [{"sender": {"mean_rtt": 80000}}]}}'
    )
    file = tmp_path / "iperf.json"
    file.write_text(test + "\n" + test, encoding="utf-8")
    rows = read(file, SPEC).rows
    assert [row.line for row in rows] == [1, 2]
    assert rows[0].measured[Measurand("goodput", "other")] == Measured(8.8e6, None)
    assert rows[0].measured[Measurand("rtt", "other")].value == pytest.approx(0.08)
    for text, why in (('{"error": "refused"}', "no goodput: refused"), ("{", "no JSON"), ('{"a": 1}', "not of iperf3")):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(SpecError, match=why):
            read(file, SPEC)


def test_each_row_is_a_point_with_what_was_measured_there(tmp_path: Path) -> None:
    measured = measurements(
        tmp_path,
        "# Somewhere, 2025.",
        "# Two machines.",
        "",
        "path.buffer (kB),flows[1].cc,goodput.bbr (Mbit/s),goodput.bbr.sd (Mbit/s),share.bbr (%),note.figure",
        "50,cubic,8.1,0.2,84.5,1a",
        "# half of it is missing:",
        "100,reno,6,,,1b",
    )
    assert measured.head == ("Somewhere, 2025.", "Two machines.", "half of it is missing:")
    assert measured.fields == ("path.buffer", "flows[1].cc")
    assert measured.settings == ()
    goodput, share = Measurand("goodput", "bbr"), Measurand("share", "bbr")
    first, second = measured.rows
    assert list(first.measured) == [goodput, share]
    assert (first.line, dict(first.at), dict(first.notes)) == (
        5,
        {"path.buffer": "50 kB", "flows[1].cc": "cubic"},
        {"figure": "1a"},
    )
    assert first.measured[goodput] == Measured(8.1e6, 0.2e6)
    assert first.measured[share].value == pytest.approx(0.845)
    assert dict(second.measured) == {goodput: Measured(6e6, None)}
    points = [
        (point.values["path.buffer"], point.values["flows[1].cc"], [row.line for row in rows])
        for point, rows in measured.points()
    ]
    assert points == [("50 kB", "cubic", [5]), ("100 kB", "reno", [7])]


def test_what_the_spec_sweeps_beside_the_rows_is_a_setting_of_each(tmp_path: Path) -> None:
    spec = SPEC.replace('buffer = "1 bdp"', 'buffer = "1 bdp"\njitter = ["none", "50 us"]')
    measured = measurements(tmp_path, HEADER, "50,cubic,8", "100,cubic,7", spec=spec)
    assert measured.settings == ("path.jitter",)
    points = [(rows[0].line, point.values["path.jitter"]) for point, rows in measured.points()]
    assert points == [(2, "none"), (2, "50 us"), (3, "none"), (3, "50 us")]


def test_a_point_that_was_measured_twice_has_two_rows(tmp_path: Path) -> None:
    measured = measurements(tmp_path, HEADER, "50,cubic,8", "100,cubic,7", "50,cubic,9")
    assert [[row.line for row in rows] for _, rows in measured.points()] == [[2, 4], [3]]


def test_units_stand_in_the_heading_or_in_the_cells(tmp_path: Path) -> None:
    measured = measurements(
        tmp_path, "path.rate,duration (s),goodput.bbr (of rate)", "8 Mbit/s,4,0.5", "1 Gbit/s,4,0.25"
    )
    assert [point.values["path.rate"] for point, _ in measured.points()] == ["8 Mbit/s", "1 Gbit/s"]
    assert {key for row in measured.rows for key in row.measured} == {Measurand("goodput", "bbr", of_rate=True)}


def test_all_problems_come_at_once_with_their_lines(tmp_path: Path) -> None:
    messages = problems(
        tmp_path,
        "path.rate,path.rtt (ms),pth (B),flows[1].cc,flows[0].count,goodput.bbr (of rate),goodput (Mbit/s),rtt.x (kg)",
        "10,40,51200,cubic,1,-0.87,1,1",
        "10 Mbit/s,40,51200,cubik,1,20,0.87,1",
        "10 Mbit/s,40,51200,reno,2,20",
        "10 Mbit/s,40,102400,reno,2.5,x,0.91,1",
    )
    no_field = 'is neither a field of the spec nor a quantity; did you mean "path"?; a remark is note.pth'
    whose = "says not whose goodput it is; write goodput.GROUP, with the group's name"
    unit = 'unknown unit "kg"; write it behind the name, in brackets: s, ms, us'
    goodput = "goodput.bbr (of rate)"
    assert messages == [
        "points.csv line 4: has 6 cells; as many as headings: 8",
        f"points.csv, heading pth: {no_field}",
        f"points.csv, heading goodput (Mbit/s): {whose}",
        f"points.csv, heading rtt.x (kg): {unit}",
        f'points.csv line 2, {goodput}: "-0.87" is out of range; a goodput is at least 0, and finite',
        f'points.csv line 3, {goodput}: "20" of rate is more than everything; at most 1, or 100 %',
        f'points.csv line 5, {goodput}: "x" is no number; write the number alone, the unit stands above',
        'points.csv line 2, path.rate: 10 has no unit; write it with a unit, as "10 Mbit/s"',
        "points.csv line 5, flows[0].count: must be a whole number, not 2.5; write count = 4",
        'points.csv line 3, flows[1].cc: unknown "cubik"; did you mean "cubic"?',
    ]


NO_POINTS = ": has no points; a line of headings, and below it a line for each point"
NOTHING = ': has no column with what was measured; add one such as "goodput.bbr (Mbit/s)" or "share.bbr (%)"'
NO_HEADING = (
    'has no heading, nor has a line below it; write headings as "path.rate (Mbit/s)" and "goodput.bbr (Mbit/s)", '
    "or name them by --heading 'THEIRS=path.loss:x100'; lines of words begin with #"
)
TWO_MARKS = (
    '"4,5" has a decimal comma, and "1.5" in line 2 a point; write all numbers with a point, or all with a comma'
)
FIXED = "holds for all points, so that no row can give it; leave it out, and say it in the spec"
NO_NUMBER = "is no number; write the number alone, the unit stands above"
UNITS = "bit/s, kbit/s, Mbit/s, Gbit/s, of rate"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a"], NO_POINTS),
        (["# only where it is from"], NO_POINTS),
        (["path.rtt (ms)", "40"], NOTHING),
        ([HEADER, '50,"cubic,8'], " line 2: is no CSV: unexpected end of data; close every quotation mark in its line"),
        (["measured in our lab", "20,4.5"], f' line 1: "measured in our lab" {NO_HEADING}'),
        ([HEADER.replace(",", ";"), "1.5;cubic;4,5"], f" line 2, goodput.bbr (Mbit/s): {TWO_MARKS}"),
        ([HEADER, '50,cubic,"4,5"'], f' line 2, goodput.bbr (Mbit/s): "4,5" {NO_NUMBER}'),
        ([HEADER.replace(",", "\t"), "50\tcubic\t4,5"], f' line 2, goodput.bbr (Mbit/s): "4,5" {NO_NUMBER}'),
        (["zip,goodput.bbr (Mbit/s)", "1,8"], f", heading zip: {FIXED}"),
        (["seeds,goodput.bbr (Mbit/s)", "1,8", "2,8"], f", heading seeds: {FIXED}"),
        ([HEADER, "50,cubic,8,,9"], " line 2: has 5 cells; as many as headings: 3"),
        ([HEADER + ",path.buffer (B)", "5,cubic,8,50"], ", heading path.buffer (B): is there twice; leave one out"),
        (
            [HEADER + ",rtt.bbrr (ms)", "50,cubic,8,50"],
            ' line 2, rtt.bbrr: there is no such group; did you mean "bbr"?',
        ),
        (
            [HEADER.replace(" (Mbit/s)", ""), "50,cubic,8"],
            f", heading goodput.bbr: has no unit; write it behind the name, in brackets: {UNITS}",
        ),
    ],
)
def test_what_is_no_table_of_points_is_refused(tmp_path: Path, lines: list[str], message: str) -> None:
    assert problems(tmp_path, *lines)[0] == f"points.csv{message}"


def test_a_table_may_not_have_more_rows_than_can_be_run(tmp_path: Path) -> None:
    assert problems(tmp_path, HEADER, *["50,cubic,8"] * MOST_ROWS) == [
        f"points.csv: has {MOST_ROWS:,} points; at most {MOST_ROWS:,}"
    ]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"none.csv: no such file; give the path of a CSV file"):
        read(tmp_path / "none.csv", SPEC)
    for content, message in {
        b"\xff\xfe\x00": "is not UTF-16 text: byte 2, in line 1; save it as UTF-8",
        HEADER.encode() + b"\n# caf\xe9": "is not UTF-8 text: byte 55, in line 2; save it as UTF-8",
        HEADER.encode("utf-16-le"): "is no text: a character in line 1 is NUL; save it as UTF-8",
    }.items():
        (tmp_path / "bytes.csv").write_bytes(content)
        with pytest.raises(SpecError, match=f"bytes.csv: {message}"):
            read(tmp_path / "bytes.csv", SPEC)


EVERYDAY: dict[str, bytes] = {
    "a title above": b"measured in our lab\n\npath.buffer (kB),goodput.bbr (Mbit/s)\n50.5,4.5\n",
    "a title of a spreadsheet": b'"Our lab, 2025",\npath.buffer (kB),goodput.bbr (Mbit/s)\n50.5,4.5\n',
    "semicolons and commas": b"path.buffer (kB);goodput.bbr (Mbit/s)\n50,5;4,5\n",
    "semicolons and points": b"path.buffer (kB);goodput.bbr (Mbit/s)\n50.5;4.5\n",
    "a separator that is told": b"sep=;\r\npath.buffer (kB);goodput.bbr (Mbit/s)\r\n50,5;4,5\r\n",
    "tabs": b"path.buffer (kB)\tgoodput.bbr (Mbit/s)\n50.5\t4.5\n",
    "a BOM": b"\xef\xbb\xbfpath.buffer (kB),goodput.bbr (Mbit/s)\n50.5,4.5\n",
    "UTF-16": "path.buffer (kB)\tgoodput.bbr (Mbit/s)\r\n50.5\t4.5\r\n".encode("utf-16"),
    "empty rows": b"path.buffer (kB),goodput.bbr (Mbit/s)\n,\n\n50.5,4.5\n,\n , \n",
    "separators behind": b"path.buffer (kB),goodput.bbr (Mbit/s),,\n50.5,4.5,,\n,,,\n",
    "quotation marks": b'"path.buffer (kB)", "goodput.bbr (Mbit/s)"\r\n"50.5", "4.5"\r\n',
    "a remark in quotation marks": b'"# lab; 2025",\npath.buffer (kB),goodput.bbr (Mbit/s)\n50.5,4.5\n',
    "carriage returns": b"path.buffer (kB),goodput.bbr (Mbit/s)\r50.5,4.5\r",
}


@pytest.mark.parametrize("slip", EVERYDAY)
def test_tables_as_spreadsheets_write_them_are_read(tmp_path: Path, slip: str) -> None:
    table = tmp_path / "points.csv"
    table.write_bytes(EVERYDAY[slip])
    (row,) = read(table, SPEC).rows
    assert dict(row.at) == {"path.buffer": "50.5 kB"}
    assert row.measured[Measurand("goodput", "bbr")].value == pytest.approx(4.5e6)


def test_what_stands_above_the_headings_says_where_the_points_are_from(tmp_path: Path) -> None:
    measured = measurements(tmp_path, "Our lab, 2025", "# two machines", HEADER, "50,cubic,8")
    assert measured.head == ("Our lab, 2025", "two machines")


def test_remarks_keep_their_commas(tmp_path: Path) -> None:
    measured = measurements(tmp_path, f"{HEADER},note.figure".replace(",", ";"), "50;cubic;8,5;1,2")
    assert dict(measured.rows[0].notes) == {"figure": "1,2"}


def test_headings_name_fields_quantities_and_remarks() -> None:
    assert column("path.rate (Mbit/s)") == Column(heading="path.rate (Mbit/s)", unit="Mbit/s", field="path.rate")
    rtt_column = column("rtt.bbr.sd (ms)")
    assert isinstance(rtt_column, Column)
    assert (rtt_column.measurand, rtt_column.deviation) == (Measurand("rtt", "bbr"), True)
    assert rtt_column.number("40") == pytest.approx(0.04)
    assert isinstance(column("utilization (%)"), Column)
    refused = column("utilization.bbr (%)")
    assert isinstance(refused, Problem)
    assert str(refused) == "utilization.bbr (%): utilization is the path's, not a group's; write utilization"
    assert isinstance(column("harm.bbr (%)"), Problem), "it needs another run"
    assert isinstance(column("flows[].cc"), Problem)
    assert isinstance(column(""), Problem)


def test_every_so_many_th_row_is_an_experiment_of_its_own(tmp_path: Path) -> None:
    measured = measurements(tmp_path, HEADER, "50,cubic,1", "100,reno,2", "200,cubic,3", "400,reno,4", "400,reno,5")
    part = measured.every(2)
    assert [row.line for row in part.rows] == [row.line for row in measured.rows][::2]
    points = [(point.values["path.buffer"], point.values["flows[1].cc"]) for point, _ in part.points()]
    assert points == [("50 kB", "cubic"), ("200 kB", "cubic"), ("400 kB", "reno")]
    assert [len(rows) for _, rows in measured.every(1).points()] == [1, 1, 1, 2]
    assert len(measured.every(9).experiment) == 1
