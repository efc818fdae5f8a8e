"""What a shell offers at <TAB>, asked for as a shell asks."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from commandline import DUMBBELL, dumbbell, python
from dumbbell.cli.completion import join_arguments
from processes import HANG_S

BASH = shutil.which("bash")


def offered(line: str, shell: str = "zsh") -> list[str]:
    """What is offered at the end of a line."""
    how = {
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "bash": {"COMP_WORDS": line.replace(" ", "\n"), "COMP_CWORD": str(line.count(" "))},
    }[shell]
    done = dumbbell(_DUMBBELL_COMPLETE=f"complete_{shell}", **how)
    text = done.stdout.replace("_arguments '*: :((", "").replace("))'", "") if shell == "zsh" else done.stdout
    return [word.strip('"').replace("\\", "") for word in text.splitlines()]


@pytest.mark.parametrize("shell", ["zsh", "bash"])
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("dumbbell study show clay", ["claypool2019", "claypool2019_proposals"]),
        ("dumbbell study run al", ["all"]),
        ("dumbbell cc show bbr_", ["bbr_4_17", "bbr_4_17_shallow"]),
        ("dumbbell run x.toml --engine s", ["sim"]),
        ("dumbbell run --set path.rt", ["path.rtt="]),
        ("dumbbell check --set measure.re", ["measure.record="]),
        ("dumbbell run --columns goodput,rtt", ["goodput,rtt", "goodput,rtt_p95"]),
        ("dumbbell results show --sort rtt", ["rtt", "rtt_p95"]),
    ],
)
def test_names_are_offered(line: str, expected: list[str], shell: str) -> None:
    answers = offered(line, shell)
    assert set(expected) <= set(answers)
    assert all(each.startswith(line.rpartition(" ")[2]) for each in answers)


def test_the_groups_of_the_spec_and_the_algorithms_of_a_group_are_offered(moment: Path) -> None:
    assert offered(f"dumbbell run {moment} --set flows[1].c", "zsh") == ["flows[1].cc=", "flows[1].count="]
    assert offered(f"dumbbell run {moment} --set flows[2].c", "zsh") == ["_files"]
    assert "flows[1].cc=cubic" in offered("dumbbell run --set flows[1].cc=", "zsh")
    assert offered("dumbbell run --set host.qdisc=", "zsh") == ["host.qdisc=none", "host.qdisc=fq"]


def test_captures_are_offered_as_engines_of_run_only(tmp_path: Path) -> None:
    for name in ("one.pcapng", "two.pcap.gz", "three.toml"):
        (tmp_path / name).touch()
    place = f"capture:{tmp_path}/"
    assert offered(f"dumbbell run x.toml --engine {place}", "bash") == [f"{place}one.pcapng", f"{place}two.pcap.gz"]
    assert "capture:" in offered("dumbbell run x.toml --engine ")
    assert "capture:" not in offered("dumbbell study run all --engine ")
    assert offered("dumbbell run x.toml --engine capture:/absent/") in ([], ["_files"])


def test_the_runs_of_a_store_are_offered(moment: Path, store: Path, tmp_path: Path) -> None:
    dumbbell("run", moment)
    ids = {line.split()[0] for line in dumbbell("results", "list", store).stdout.splitlines()[1:]}
    for command in ("explore", "results show"):
        assert set(offered(f"dumbbell {command} {store} ")) == ids
        assert offered(f"dumbbell {command} {store} {min(ids)[:9]}") == [min(ids)]
        assert offered(f"dumbbell {command} {tmp_path / 'absent'} ") == ["_files"]


@pytest.mark.parametrize(
    ("arguments", "joined", "before"),
    [
        (
            ["dumbbell", "run", "--set", "flows[0].cc", "=", "cu"],
            ["dumbbell", "run", "--set", "flows[0].cc=cu"],
            "flows[0].cc=",
        ),
        (["dumbbell", "run", "--engine", "linux", ":"], ["dumbbell", "run", "--engine", "linux:"], "linux:"),
        (["dumbbell", "run", "x.toml", ""], ["dumbbell", "run", "x.toml", ""], ""),
    ],
)
def test_words_that_bash_takes_apart_are_one(arguments: list[str], joined: list[str], before: str) -> None:
    environment = {"COMP_WORDS": "\n".join(arguments), "COMP_CWORD": str(len(arguments) - 1)}
    assert join_arguments(environment) == before
    assert environment == {"COMP_WORDS": "\n".join(joined), "COMP_CWORD": str(len(joined) - 1)}


@pytest.mark.slow
@pytest.mark.skipif(BASH is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "word"),
    [("study show gior", "giordano2019"), ("run --set flows[0].cc=cub", "cubic"), ("run --set path.rat", "path.rate=")],
)
def test_bash_itself_completes(line: str, word: str) -> None:
    """With the script that `--show-completion` prints; bash ends words at an equals sign."""
    program = f"""
eval "$({DUMBBELL} --show-completion bash)"
COMP_LINE='dumbbell {line}'
words=(${{COMP_LINE//=/ = }})
COMP_WORDS=("${{words[@]}}")
COMP_CWORD=$((${{#words[@]}} - 1))
_dumbbell_completion {DUMBBELL}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    environment = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run(
        [BASH or "bash", "--norc", "-c", program],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=environment,
        timeout=HANG_S,
    )
    assert done.stdout.splitlines() == [word], done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("line", ["study show ", "cc show ", "run --engine ", "run --set ", "run --columns "])
def test_it_loads_nothing_heavy(line: str) -> None:
    program = f"""
import os, sys
os.environ |= {{"_DUMBBELL_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "dumbbell {line}"}}
from dumbbell.cli.main import main
sys.argv = ["dumbbell"]
try:
    main()
finally:
    print("loaded:", *(set(sys.modules) & {{"pydantic", "numpy", "pandas", "pyarrow", "altair", "scipy"}}))
"""
    *offers, loaded = python(program).stdout.splitlines()
    assert len(offers) >= 2
    assert loaded == "loaded:"
