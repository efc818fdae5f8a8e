"""The types of a spec's words, by which editors complete keys and mypy checks them."""

from __future__ import annotations

from pathlib import Path

import pytest
from mypy import api

from commandline import ROOT
from fields_stub import page

RIGHT = """
from dumbbell import Experiment
Experiment(
    duration=["10 s", "until done"],
    seeds=[3, 4],
    path={
        "rate": "80 Mbit/s", "rtt": ["25 ms", "50 ms"], "buffer": "1 bdp",
        "change": [{"at": "2 s", "rate": "1 Mbit/s"}],
    },
    flows=[
        {"cc": ["bbr", "cubic"], "access": {"rate": "9 Mbit/s", "buffer": "1 MB", "kind": "router"}},
        {"cc": "reno", "workload": {"stream": "5 Mbit/s", "for": "6 s", "every": "40 ms"}},
        {"cc": "reno", "workload": {"arrivals": {"load": 0.5}, "size": {"cdf": "sizes.csv"}}},
    ],
    host={"socket_memory": "16 MB"},
    measure={"window": ["25 %", "100 %"]},
)
path = {"rate": "80 Mbit/s", "rtt": "25 ms"}
path["buffer"] = "1 bdp"
Experiment(duration="10 s", path=path, flows=[{"cc": cc} for cc in ("bbr", "cubic")])
"""
WRONG = {
    "seeds=[3, 4],": ("sedes=[3, 4],", 'Unexpected keyword argument "sedes"'),
    'duration=["10 s", "until done"],': (
        "duration=10,",
        'Argument "duration" to "Experiment" has incompatible type',
    ),
    'duration=["10 s", "until done"],\n': ("", 'Missing named argument "duration"'),
}


def test_they_are_what_the_keys_are() -> None:
    stub = ROOT / "python" / "dumbbell" / "spec" / "fields.pyi"
    assert stub.read_text(encoding="utf-8").rstrip() == page().rstrip(), "make docs-outputs"


@pytest.mark.long
@pytest.mark.slow
def test_mypy_tells_a_key_that_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MYPYPATH", str(ROOT / "python"))
    cases = {"right": (RIGHT, "")}
    cases |= {
        f"wrong{place}": (RIGHT.replace(right, *wrong[:1]), wrong[1])
        for place, (right, wrong) in enumerate(WRONG.items())
    }
    for name, (text, _) in cases.items():
        Path(f"{name}.py").write_text(text, encoding="utf-8")
    out, _, _ = api.run(["--follow-imports=silent", "--hide-error-context", *(f"{name}.py" for name in cases)])
    for name, (_, message) in cases.items():
        lines = [line for line in out.splitlines() if line.startswith(f"{name}.py")]
        assert message in lines[0] if message else not lines, (name, out)
