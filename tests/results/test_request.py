"""What pairs a run: runs of earlier versions have the keys of those that are asked for the same now."""

from __future__ import annotations

import json
from pathlib import Path

from dumbbell.results.request import request_from_texts, request_of
from dumbbell.spec import expand, load, resolve

SPEC = """
duration = "1 s"
start_jitter = "0 s"
path = { rate = "5 Mbit/s", rtt = "20 ms", buffer = "1 bdp" }
flows = [{ cc = "bbr", access = { rate = "9 Mbit/s", buffer = "50 packets" } }, { cc = "cubic" }]
"""


def keys(tmp_path: Path, kind: str) -> tuple[str, str]:
    """Of a run, and of the same as earlier versions wrote it: without what they could not be asked for."""
    (tmp_path / "lines.toml").write_text(SPEC, encoding="utf-8")
    experiment = load(tmp_path / "lines.toml", overrides={"flows[0].access.kind": kind})
    (point,) = expand(experiment)
    resolved = resolve(point, 1)
    earlier = json.loads(resolved.run.to_json())
    del earlier["flows"][0]["access"]["kind"], earlier["host"]["gro"], earlier["host"]["ack_aggregation_ns"]
    texts = [json.dumps(each) for each in (earlier, experiment.fields(), {})]
    return request_of(resolved).key, request_from_texts(*texts).key


def test_an_access_line_of_an_earlier_version_is_a_device(tmp_path: Path) -> None:
    now, earlier = keys(tmp_path, "device")
    assert now == earlier
    now, earlier = keys(tmp_path, "router")
    assert now != earlier
