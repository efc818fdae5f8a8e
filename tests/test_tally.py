from __future__ import annotations

from pathlib import Path

import pytest

from tally import Tally, main

JUNIT = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"/>
<testcase name="c"><skipped message="not installed: iperf3 (make tools)"/></testcase>
<testcase name="d"><skipped message="not installed: iperf3 (make tools)"/></testcase>
<testcase name="e"><skipped message="docs/a.md:3: an example that is not run: an hour"/></testcase>
<testcase name="f"><skipped message="docs/b.md:4: an example that is not run: needs a network"/></testcase>
<testcase name="g"><skipped message="docs/b.md:5: an example that is not run: needs a network"/></testcase>
</testsuite></testsuites>"""
CARGO = """
skipped network::tests::a: it needs root and a kernel with veth and tbf: EPERM
running 3 tests
...
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

test result: ok. 1200 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""


def test_the_sentence_counts_both_languages_and_says_what_skipped_tests_would_need(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "python.xml").write_text(JUNIT, encoding="utf-8")
    (tmp_path / "rust.txt").write_text(CARGO, encoding="utf-8")
    main(tmp_path)
    assert capsys.readouterr().out == (
        "1,204 passed; skipped 3: an example that is not run; 2: not installed: iperf3 (make tools); "
        "1: ignored by an attribute in Rust; 1: it needs root and a kernel with veth and tbf: EPERM\n"
    )


def test_what_failed_comes_first_and_nothing_skipped_is_said() -> None:
    tally = Tally()
    tally.add_cargo("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured")
    tally.add_pytest('<a><testcase><failure message="no"/></testcase><testcase><error message="no"/></testcase></a>')
    assert tally.sentence() == "4 failed, 3 passed; skipped none"
