"""The path of a run on this machine's own kernel, kept by the agent for as long as somebody uses it; needs root."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dumbbell.engines import agent
from dumbbell.errors import EngineFailure
from dumbbell.spec.run import Run


@contextmanager
def built_network(run: Run, folder: Path) -> Iterator[dict[str, list[str]]]:
    """Has the agent build the network; gives how each host is entered.

    Raises:
        EngineFailure: it cannot be built; the agent has printed why.
    """
    job = folder / "job.json"
    controls = [flow.algorithm for flow in run.flows]
    fields = {"run": json.loads(run.to_json()), "controls": controls, "task": "measure", "machine": "shared"}
    job.write_text(json.dumps(fields), encoding="utf-8")
    pipe = subprocess.PIPE
    command = [str(agent.path()), "hold", str(job)]
    with subprocess.Popen(  # noqa: S603 (a list of arguments)
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        assert process.stdout is not None  # noqa: S101 (it was asked for)
        line = process.stdout.readline()
        if not line:
            raise EngineFailure(f"no network: {process.communicate()[1]}")
        yield {host: ["nsenter", f"--net={descriptor(target)}"] for host, target in json.loads(line).items()}
        process.communicate("")
        if process.returncode:
            raise EngineFailure(f"the agent that built the network ended with status {process.returncode}")


def descriptor(target: str) -> Path:
    """Some process's descriptor of a namespace."""
    for each in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.fspath(each.readlink()) == target:
                return each
        except OSError:
            continue
    raise EngineFailure(f"no process has the namespace {target}")
