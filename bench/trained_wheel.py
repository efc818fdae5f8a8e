"""A wheel whose Rust is compiled by a profile of runs, and how fast it is beside the package that is built here.

    python bench/trained_wheel.py --out dist         # ten minutes, with llvm-profdata of the compiler's own LLVM

The extension is built twice, the first time with counters, which the runs of `TRAINING` fill. Then both simulate each
of them in turns, in processes of their own: ratios are simulated seconds a second of processor time, trained over
built here, within a round. Their measurements must be the same bytes: else the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from turns import described

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "target" / "trained"
TRAINING: dict[str, dict[str, Any]] = {
    "1 CUBIC, 80 Mbit/s": {"flows": [{"cc": "cubic"}], "duration": "60 s"},
    "1 CUBIC, 1 Gbit/s": {"flows": [{"cc": "cubic"}], "path": {"rate": "1 Gbit/s"}, "duration": "10 s"},
    "1 BBR and 1 CUBIC": {"flows": [{"cc": "bbr"}, {"cc": "cubic"}], "duration": "60 s"},
    "10 BBR and 10 Reno, short queue": {
        "flows": [{"cc": "bbr", "count": 10}, {"cc": "reno", "count": 10}],
        "path": {"buffer": "0.3 bdp", "loss": "0.1 %"},
        "duration": "30 s",
    },
    "100 CUBIC, 1 Gbit/s": {"flows": [{"cc": "cubic", "count": 100}], "path": {"rate": "1 Gbit/s"}, "duration": "10 s"},
    "100 BBR, 1 Gbit/s": {"flows": [{"cc": "bbr", "count": 100}], "path": {"rate": "1 Gbit/s"}, "duration": "10 s"},
    "10,000 CUBIC, 10 Gbit/s": {
        "flows": [{"cc": "cubic", "count": 10_000}], "path": {"rate": "10 Gbit/s"}, "duration": "1 s",
    },
}  # fmt: skip
# In a process of its own: simulates a spec by the package on its path; prints processor time and digest.
RUN = """
import hashlib, json, sys, time
from dumbbell.spec import Experiment, resolve
import dumbbell._core as core
fields = json.loads(sys.argv[1])
fields["path"] = {"rate": "80 Mbit/s", "rtt": "50 ms", "buffer": "1 bdp"} | fields.get("path", {})
fields["measure"] = {"record": "summary"}
run = resolve(Experiment(**fields).point(0), 1).run.to_json()
begin = time.process_time()
measured = core.measure_json(run)
print(time.process_time() - begin, hashlib.sha256(measured).hexdigest())
"""


def answer(*command: str) -> str:
    """What a program says."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def compiler(field: str) -> str:
    """What the compiler says of itself."""
    (value,) = re.findall(rf"{field}: (\S+)", answer("rustc", "-vV"))
    return str(value)


def profile_tool() -> str:
    """The `llvm-profdata` that reads what this compiler's counters write.

    Raises:
        SystemExit: there is none of that version.
    """
    version = compiler("LLVM version").partition(".")[0]
    of_toolchain = f"{answer('rustc', '--print', 'sysroot')}/lib/rustlib/{compiler('host')}/bin/llvm-profdata"
    for name in (of_toolchain, f"llvm-profdata-{version}"):
        if tool := shutil.which(name):
            return tool
    sys.exit(f"no llvm-profdata of LLVM {version}: Debian's package llvm-{version} has it, or rustup's llvm-tools")


def build(flags: str, out: Path) -> Path:
    """The wheel that maturin builds with the compiler's `flags`, in an emptied folder."""
    shutil.rmtree(out, ignore_errors=True)
    # With a target, flags are not those of what runs in the build.
    command = ["maturin", "build", "--release", "--quiet", "--target", compiler("host"), "--out", str(out)]
    own = {"RUSTFLAGS": flags, "CARGO_TARGET_DIR": str(FOLDER / "target"), "LLVM_PROFILE_FILE": os.devnull}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **own, "PATH": path, "PYO3_PYTHON": sys.executable}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    (wheel,) = out.iterdir()
    return wheel


def unpacked(wheel: Path, folder: Path) -> Path:
    """The package of a wheel, in a folder that Python imports from."""
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def simulated(package: Path, name: str, counters: str = os.devnull) -> tuple[float, str]:
    """Processor time of a run of `TRAINING`, s, and the digest of what it measured."""
    environment = {**os.environ, "PYTHONPATH": str(package), "LLVM_PROFILE_FILE": counters}
    command = [sys.executable, "-c", RUN, json.dumps({"name": "training", **TRAINING[name]})]
    seconds, digest = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout.split()
    return float(seconds), digest


def main() -> int:
    """Prints a line a run as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("dist"), help="where the wheel goes")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    tool, counters, profile = profile_tool(), FOLDER / "counters", FOLDER / "profile"
    shutil.rmtree(counters, ignore_errors=True)
    counting = unpacked(build("-Cprofile-generate", FOLDER / "counting"), FOLDER / "counting-package")
    for name in TRAINING:
        simulated(counting, name, str(counters / "%p.profraw"))
    subprocess.run([tool, "merge", "--output", profile, *counters.iterdir()], check=True)
    wheel = build(f"-Cprofile-use={profile}", FOLDER / "wheel")
    trained, here = unpacked(wheel, FOLDER / "package"), ROOT / "python"
    differs = 0
    print(f"{'run':<34} {'trained / built here':>24}")
    for name in TRAINING:
        ratios = []
        for _ in range(options.rounds):
            (old_s, old), (new_s, new) = simulated(here, name), simulated(trained, name)
            ratios.append(old_s / new_s)
        differs += old != new
        print(f"{name:<34} {described(ratios):>24}{'   other bytes' if old != new else ''}", flush=True)
    if not differs:
        options.out.mkdir(parents=True, exist_ok=True)
        print(shutil.copy2(wheel, options.out))
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
