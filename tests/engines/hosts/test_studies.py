"""Short forms of studies on hosts: which of them these accept, what they refuse of the others, and one that is run."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from commandline import dumbbell
from dev.sshlab import Lab
from dumbbell import studies
from dumbbell.engines.hosts.engine import HostsEngine
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.studies.execution import honoured, refused
from measured import known

pytestmark = pytest.mark.slow

ACCEPTED = {
    "borgli2017": (11, 11),
    "cao2019": (2, 2),
    "claypool2019": (2, 2),
    "giordano2019": (9, 9),
    "zhang2024": (0, 8),
}
"""Of the experiments of each short form so many, of how many, on hosts with frames of 1500 bytes and one sender."""
REFUSED = {
    "borgli2017": set[str](),
    "cao2019": set[str](),
    "claypool2019": set[str](),
    "giordano2019": set[str](),
    "zhang2024": {"path.mtu"},
}


def on_hosts(lab: Lab, inventory: Path, *arguments: str | Path) -> CompletedProcess[str]:
    reached = ("--engine", "hosts", "--inventory", inventory, "--ssh-config", lab.config)
    return dumbbell("study", "run", *arguments, "--short", *reached)


@pytest.mark.parametrize("name", ACCEPTED)
def test_which_short_forms_hosts_accept_and_what_they_refuse(lab: Lab, name: str) -> None:
    hosts = HostsEngine(lab.testbed(receiver="r2", mid="shape = true"), lab.config)
    short = studies.load(name, short=True)
    assert (len(honoured(short, hosts)), len(short.experiments)) == ACCEPTED[name]
    fields = {
        part.partition(":")[0]
        for why in refused(short.parts(), hosts).values()
        for part in why.removeprefix("engine hosts cannot honour ").split("; ")
        if part.startswith(("path.", "flows[", "host.", "measure.")) and ": " in part
    }
    assert fields == REFUSED[name]


def test_a_short_form_that_hosts_refuse_says_the_fields(lab: Lab, tmp_path: Path) -> None:
    done = on_hosts(lab, lab.testbed(mid="shape = true"), "zhang2024", "--out", tmp_path / "out")
    assert done.returncode == 2
    first, *others = done.stderr.splitlines()
    assert first == "nothing of the short form of zhang2024 can run on hosts:"
    assert all("path.mtu: " in line for line in others)
    assert not (tmp_path / "out").exists()


def test_a_study_needs_a_host_that_makes_its_path(lab: Lab, tmp_path: Path) -> None:
    done = on_hosts(lab, lab.testbed(router=""), "giordano2019", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "a study has a path of its own, and none of these hosts may make one; shape = true" in done.stderr


def test_a_program_that_a_host_lacks_is_named_and_the_own_workload_stays(lab: Lab) -> None:
    """The second sender has no iperf3."""
    hosts = HostsEngine(lab.testbed(senders=("s2",), mid="shape = true"), lab.config)
    short = studies.load("giordano2019", short=True)
    reasons = studies.short.without_programs(short, hosts)
    assert reasons["single"] == 's2 has no program "iperf3"'
    assert list(honoured(short, hosts)) == list(short.experiments)


@pytest.mark.long
def test_a_part_of_a_short_form_is_run_and_drawn(lab: Lab, tmp_path: Path) -> None:
    done = on_hosts(
        lab, lab.testbed(mid="shape = true"), "giordano2019", "--experiments", "single_cubic", "--out", tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "2 runs in real time on hosts, at most 1 min" in done.stderr
    assert (tmp_path / "report.html").stat().st_size > 10_000
    with Store.open(tmp_path / "store") as store:
        campaign, *more = store.campaigns()
        outcomes = list(store.outcomes())
    assert (campaign.engine, campaign.experiment, more) == ("hosts", "giordano-single-cubic-short", [])
    for outcome in outcomes:
        assert isinstance(outcome, Result)
        carried = known(outcome.flows[0].goodput_bps) / (103.7e6 * 1448 / 1514)
        assert 0.8 < carried < 1.03, "also where a busy machine led packets on late"
        assert outcome.validity == "SUSPECT" or carried > 0.97
