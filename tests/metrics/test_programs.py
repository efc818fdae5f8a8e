"""What programs say of themselves, read from what real ones said: `programs/README.md` tells how that was made."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dumbbell.engines.measurement import Program, ProgramEnd
from dumbbell.metrics.programs import ffmpeg
from dumbbell.metrics.programs.reader import LONGEST_OUTPUT, READERS, program_name, read, summary
from dumbbell.metrics.programs.report import ProgramReport
from measured import SECOND, known

SAID = Path(__file__).with_name("programs")


def end(name: str, case: str, side: str, status: int | None = 0) -> ProgramEnd:
    def text(kind: str) -> str:
        path = SAID / f"{name}-{case}-{side}.{kind}"
        return path.read_bytes().decode() if path.exists() else ""

    said = {kind: text(kind) for kind in ("out", "err")}
    assert any(said.values()), f"{name}-{case}-{side}"
    ended_ns = None if status is None else 9 * SECOND
    return ProgramEnd(
        argv=[f"/usr/bin/{name}"], began_ns=SECOND, ended_ns=ended_ns, status=status, stdout=said["out"],
        stderr=said["err"],
    )  # fmt: skip


def said(name: str, case: str, status: int | None = 0, *, server: bool = True) -> ProgramReport:
    has_server = server and any(SAID.glob(f"{name}-{case}-server.*"))
    other = end(name, case, "server") if has_server else None
    return known(read(Program(client=end(name, case, "client", status), server=other)))


def test_iperf3_tells_what_its_receiver_had() -> None:
    report = said("iperf3", "plain")
    assert (report.payload_bytes, report.test_s, report.retransmits, report.error) == (7_602_176, 3.000205, 0, None)
    assert report.goodput_bps == pytest.approx(20_271_084.14)
    assert report.rtt_mean_s == pytest.approx(108e-6)


def test_its_streams_are_one_test() -> None:
    report = said("iperf3", "parallel")
    assert report.payload_bytes == 1_310_720
    assert report.goodput_bps == pytest.approx(10_477_566.5)


def test_a_stream_that_it_receives_and_udp_have_no_round_trip_time() -> None:
    reverse, udp = said("iperf3", "reverse"), said("iperf3", "udp")
    assert (reverse.payload_bytes, reverse.rtt_mean_s) == (262_144, None)
    assert (udp.payload_bytes, udp.retransmits, udp.rtt_mean_s) == (262_144, None, None)


def test_of_an_iperf3_that_was_ended_its_server_knows_what_arrived() -> None:
    """The client says 0 bytes. The server's clock stops with its last whole interval, at 2.00012 s."""
    report = said("iperf3", "stopped", None)
    assert (report.payload_bytes, report.test_s, report.error) == (6_291_456, 2.514503, None)
    assert report.goodput_bps == pytest.approx(20.0165e6, rel=1e-4)
    interrupted = said("iperf3", "stopped", 1)
    assert interrupted == replace(report, error="interrupt - the client has terminated")


@pytest.mark.parametrize(
    ("name", "case", "report"),
    [
        ("iperf3", "refused", ProgramReport(error="unable to connect to server: Connection refused")),
        ("iperf3", "text", ProgramReport()),
        ("nc", "plain", ProgramReport()),
        ("ncat", "plain", ProgramReport(payload_bytes=1_000_000, test_s=0.06)),
    ],
)
def test_what_is_not_said_is_not_read(name: str, case: str, report: ProgramReport) -> None:
    """iperf3's status tells nothing, and without JSON it has nothing that is read; nc has no numbers, but ncat has."""
    assert said(name, case) == report


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("nc", "nc: connect to 127.0.0.1 port 6999 (tcp) failed: Connection refused"),
        ("ncat", "Ncat: Connection refused."),
        ("ffmpeg", "tcp://127.0.0.1:7999: Connection refused"),
    ],
)
def test_the_last_line_is_what_went_wrong(name: str, error: str) -> None:
    assert said(name, "refused", 1) == ProgramReport(error=error)


def test_a_film_in_its_own_time() -> None:
    report = said("ffmpeg", "plain")
    assert report.media_s == 10.031033
    assert report.speed == pytest.approx(1.0, abs=0.005)
    assert (report.stalls, report.stalled_s) == (0, 0.0)
    assert said("ffmpeg", "plain", server=False) == report


def test_reports_are_made_twice_a_second() -> None:
    made = [each.at_s for each in ffmpeg.reports(end("ffmpeg", "plain", "client"))]
    apart = [after - before for before, after in pairwise(made)]
    assert len(made) == 20
    assert apart[:-1] == pytest.approx([0.508] * 18, abs=0.004), "but for the last one, which is about the end"


def test_an_outage_of_three_seconds_stalls_a_player_that_has_one() -> None:
    """3 s without data, and until TCP tries again, less what the player has. The sender's buffer is ahead of it."""
    report = said("ffmpeg", "outage")
    assert report.stalls == 1
    assert report.stalled_s == pytest.approx(2.62, abs=0.01)
    sender = said("ffmpeg", "outage", server=False)
    assert sender.stalls == 1
    assert sender.stalled_s == pytest.approx(1.39, abs=0.01)
    assert report.speed == sender.speed == pytest.approx(1.0, abs=0.005)


def test_a_line_that_is_too_slow_makes_it_wait_again_and_again() -> None:
    """294 kbit/s over 250: the receiver is through with 10.03 s of film after 11.45 s."""
    report = said("ffmpeg", "slow")
    assert report.speed == pytest.approx(0.924, abs=0.001)
    assert report.stalls == 2
    assert report.stalled_s == pytest.approx(1.81, abs=0.01)


def test_a_film_that_was_ended_is_told_up_to_there() -> None:
    report = said("ffmpeg", "stopped", None)
    assert (report.media_s, report.stalls, report.error) == (3.983233, 0, None)


def test_lines_of_status_say_the_same_with_fewer_digits() -> None:
    report = said("ffmpeg", "status")
    assert (report.media_s, report.stalls) == (6.03, 0)
    assert report.speed == pytest.approx(1.0, abs=0.005)


def progress(*reports: tuple[float, float]) -> ProgramEnd:
    """Reports at these seconds about so much of a film of 1000 pictures a second."""
    text = "".join(
        f"frame={round(1000 * media_s)}\nfps={1000 * media_s / at_s:.6f}\nout_time=00:00:{media_s:09.6f}\nspeed=N/A\n"
        "progress=continue\n"
        for at_s, media_s in reports
    )
    return ProgramEnd(argv=["ffmpeg"], began_ns=0, ended_ns=None, status=None, stdout=text, stderr="")


def test_a_stall_begins_where_the_second_is_played_that_was_there_and_ends_with_another_one() -> None:
    """Up to 5 s in time, then nothing until 8 s.

    Playing begins when 1 s is there, so that it comes to 5 s of the film at 6 s; it goes on at 8 s, when there is more.
    """
    in_time = [(0.5 * nth, 0.5 * nth) for nth in range(1, 11)]
    report = known(read(Program(client=progress(*in_time, (8.0, 5.0), (8.5, 8.5), (10.0, 10.0)), server=None)))
    assert report.stalls == 1
    assert report.stalled_s == pytest.approx(2.0, abs=0.1)


def test_a_film_of_which_too_little_comes_never_starts() -> None:
    report = known(read(Program(client=progress((1.0, 0.2), (5.0, 0.9)), server=None)))
    assert (report.media_s, report.stalls) == (0.9, None)
    assert report.speed == pytest.approx(0.18)


def test_the_summary_says_how_it_ended() -> None:
    program = Program(client=end("iperf3", "plain", "client"), server=None)
    program_summary = summary(program, 10 * SECOND)
    assert (program_summary.command, program_summary.status, program_summary.took_s, program_summary.output) == (
        ("/usr/bin/iperf3",),
        0,
        8.0,
        None,
    )
    assert program_summary.goodput_bps == pytest.approx(20_271_084.14)
    assert summary(replace(program, client=end("iperf3", "plain", "client", None)), 10 * SECOND).took_s == 9.0


def test_of_a_program_that_nobody_reads_the_end_of_its_output_is_kept() -> None:
    client = replace(end("iperf3", "plain", "client"), argv=["./quic-client"], stdout="x" * 3_000 + "\n12 Mbit/s\n")
    program = Program(client=client, server=None)
    program_summary = summary(program, 10 * SECOND)
    assert read(program) is None
    output = known(program_summary.output)
    assert output.endswith("x\n12 Mbit/s\n")
    assert (len(output), program_summary.goodput_bps) == (LONGEST_OUTPUT, None)


GARBLED = st.text("{}[]\"':,0123456789.eE-naNx=\n\r speedframefpstimeout_:endsumreceivedbytes", max_size=300)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["/opt/iperf3/bin/iperf3", "-J"], "iperf3"),
        (["sh", "-c", "head -c 1000000 /dev/zero | nc -N 10.1.0.2 5001"], "nc"),
        (["/bin/bash", "-c", "ncat --send-only 10.1.0.2 5001"], "ncat"),
        (["sh", "script.sh"], "sh"),
        (["sh", "-c", ""], ""),
    ],
)
def test_a_program_is_known_by_its_name_and_a_shell_by_the_last_one_of_its_pipe(argv: list[str], expected: str) -> None:
    assert program_name(argv) == expected


@given(st.sampled_from(sorted(READERS)), GARBLED, GARBLED, st.sampled_from([None, 0, 1]))
def test_nothing_that_is_garbled_makes_it_stumble(name: str, out: str, err: str, status: int | None) -> None:
    client = ProgramEnd(argv=[name], began_ns=0, ended_ns=None, status=status, stdout=out, stderr=err)
    assert read(Program(client=client, server=client)) is not None


@pytest.mark.parametrize(
    "text",
    ["null", "[]", '{"end": 3}', '{"end": {"streams": [3, {"sender": []}], "sum_received": {"bytes": "x"}}}', "{",
     '{"end": {"sum_received": {"bytes": NaN, "seconds": 1e999}}}'],
)  # fmt: skip
def test_json_that_is_not_iperf3s_says_nothing(text: str) -> None:
    client = ProgramEnd(argv=["iperf3"], began_ns=0, ended_ns=1, status=0, stdout=text, stderr="")
    assert read(Program(client=client, server=None)) == ProgramReport()
