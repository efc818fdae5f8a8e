"""What a guest can change of this machine: of a tree outside its folder, and of the process that started it.

Walls are tested one by one. An attacker in the kernel's place, and one that is process 1 of a kernel and has all that
root has there, meet what confines the host's process only; a program of a run meets what a guest's programs have not.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dumbbell.engines import agent
from dumbbell.kernel import Kernel

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user, which needs root"),
]
SOURCE = Path(__file__).with_name("attacker.c")
PATH = {"rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"}
MEMORY = "/dev/shm"  # noqa: S108 (where the memory of guests is, and of others)
USERS = {"root": 0, "nobody": 65534}
HOMES = [("root", "/tmp"), ("nobody", "/tmp"), ("nobody", MEMORY)]  # noqa: S108 (where folders with new names are made)
"""Whose, and where the tree is. A program sees memory of its own in place of `MEMORY`, and cannot start there."""
START = pytest.mark.parametrize("home", HOMES[:2], ids=" in ".join, indirect=True)
ATTACK = """
import ctypes, json, os, sys, tempfile
from pathlib import Path
from dumbbell.engines.guest import Guests, Order
from masked import mask
asked = json.loads(sys.argv[1])
tempfile.tempdir = asked["temporary"]
memory = ctypes.create_string_buffer(b"untouched")
if asked["mask"]:
    mask(asked["mask"])
if asked["uid"]:
    os.setgroups([])
    os.setgid(asked["uid"])
    os.setuid(asked["uid"])
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: as processes are that have always been this user's
words = [asked["agent"], asked["tree"], os.getpid(), hex(ctypes.addressof(memory))]
order = Order(kernel=Path(asked["kernel"]), agent=Path(asked["init"]), job=chr(10).join(map(str, words)), seed=1,
              memory_mb=256, limit_s=60)
left = Guests().outcome(order)
print(json.dumps([left.confinement, left.answer.decode(), memory.value.decode()]))
"""
RUN = """
import json, os, sys, tempfile
import dumbbell
from dumbbell.engines.guest import Guests
from dumbbell.results.store import Store
from masked import mask
asked = json.loads(sys.argv[1])
tempfile.tempdir = asked["temporary"]
os.chdir(asked["tree"])
answers, outcome = [], Guests.outcome

def noted(guests, order):
    left = outcome(guests, order)
    answers.append(left.answer)
    return left

Guests.outcome = noted
# Loads all that it needs, from root's folders too.
dumbbell.run(asked["spec"], engine="linux", store=asked["first"], programs=True)
if asked["mask"]:
    mask(asked["mask"])
if asked["uid"]:
    os.setgroups([])
    os.setgid(asked["uid"])
    os.setuid(asked["uid"])
(found,) = dumbbell.run(asked["spec"], engine="linux", store=asked["temporary"] + "/store", programs=True).outcomes
with Store.open(asked["temporary"] + "/store") as store:
    measured_on = store.provenance(found.run_id)["measured_on"]
print(json.dumps([found.flows[0].program.output, measured_on["guest"], len(answers), answers[0] == answers[-1]]))
"""
PROGRAM = """
mount -o remount,rw / && echo mounted again
mkdir /dev/shm/h && mount -t hostfs none /dev/shm/h -o / && echo mounted
mknod /dev/shm/device b 7 0 && echo made a device
echo attacked >> plain && echo appended
echo attacked > new && echo created
chmod 777 plain && echo changed a mode
echo 0 > /proc/sys/net/ipv4/tcp_sack && echo changed a setting
kill -9 1
[ -d /proc/1 ] || echo killed
echo attacked > /dev/shm/mine && cat plain /dev/shm/mine
id -u
grep -E '^(Cap|NoNewPrivs)' /proc/self/status
"""
POWERLESS = "".join(f"{name}:\t0000000000000000\n" for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"))


@dataclass(frozen=True)
class Home:
    """Of a user: what a guest may not change, and what it needs."""

    uid: int
    tree: Path
    temporary: Path
    attacker: Path
    agent: Path
    cache: Path
    kernel: Path

    def digest(self) -> str:
        """Of all that is in the tree: contents, and what the file system knows of each but when it was read."""
        tree_hash = hashlib.sha256()
        for path in sorted([self.tree, *self.tree.rglob("*")]):
            status = path.lstat()
            fields = (
                status.st_mode,
                status.st_uid,
                status.st_gid,
                status.st_size,
                status.st_nlink,
                status.st_mtime_ns,
                status.st_ctime_ns,
            )
            tree_hash.update(repr((path.name, fields, os.listxattr(path, follow_symlinks=False))).encode())
            tree_hash.update(path.read_bytes() if path.is_file() else b"")
        return tree_hash.hexdigest()

    def process(self, script: str, **arguments: Any) -> str:
        """What a process of this user printed."""
        known = {"uid": self.uid, "tree": str(self.tree), "temporary": str(self.temporary)}
        environment = os.environ | {"DUMBBELL_DATA": str(self.cache), "PYTHONPATH": str(SOURCE.parents[1] / "support")}
        done = subprocess.run(
            [sys.executable, "-c", script, json.dumps(known | arguments)],
            capture_output=True, check=False, encoding="utf-8", env=environment, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def attacker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("attacker") / "attacker"
    subprocess.run(["/usr/bin/cc", "-static", "-O1", "-Wall", "-Werror", "-o", program, SOURCE], check=True)
    return program


@pytest.fixture(params=HOMES, ids=" in ".join)
def home(request: pytest.FixtureRequest, built: Kernel, attacker: Path) -> Iterator[Home]:
    """Where every user may go: pytest's own folders are closed to others."""
    (user, parent), folder = request.param, Path(tempfile.mkdtemp(prefix="confinement-"))
    uid, outside = USERS[user], Path(tempfile.mkdtemp(prefix="confinement-", dir=parent))
    try:
        for each in (folder, outside):
            each.chmod(0o755)
        cache = folder / "cache"
        shutil.copytree(built.executable.parent, cache / "kernels" / built.executable.parent.name)
        tree, temporary = outside / "tree", folder / "temporary"
        for each in (tree, temporary, tree / "folder"):
            each.mkdir()
        for name in ("plain", "other", "everyones"):
            (tree / name).write_text(f"{name}\n", encoding="utf-8")
        (tree / "everyones").chmod(0o666)
        for each in (tree, temporary, *tree.iterdir()):
            os.chown(each, uid, uid)
        made = Home(
            uid, tree, temporary, Path(shutil.copy(attacker, folder)), Path(shutil.copy(agent.path(), folder)), cache,
            cache / "kernels" / built.executable.parent.name / built.executable.name,
        )  # fmt: skip
        for each in (cache, *cache.rglob("*")):
            each.chmod(each.stat().st_mode | 0o055)
        yield made
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(outside)


def attacked(home: Home, place: str, mask: str = "") -> tuple[str, dict[str, int], str]:
    """Whether the guest was confined, the errno of each attempt, and what the memory of the process holds."""
    kernel, init = (home.attacker, home.agent) if place == "kernel" else (home.kernel, home.attacker)
    output = home.process(ATTACK, mask=mask, kernel=str(kernel), init=str(init), agent=str(home.agent))
    confinement, report, memory = json.loads(output)
    lines = (line.rpartition(" ") for line in report.splitlines())
    return confinement, {name: int(number) for name, _, number in lines}, memory


def is_guarded() -> bool:
    """Whether this machine's kernel keeps a user's processes from one another in any case."""
    try:
        return Path("/proc/sys/kernel/yama/ptrace_scope").read_text(encoding="utf-8") != "0\n"
    except OSError:
        return False


@pytest.mark.parametrize("place", ["kernel", "process 1"])
def test_a_confined_guest_changes_nothing_outside_of_its_folder(home: Home, place: str) -> None:
    before = home.digest()
    confinement, attempts, memory = attacked(home, place)
    if not confinement.startswith("confined"):
        pytest.skip("this machine's kernel has no Landlock")
    assert home.digest() == before
    assert memory == "untouched"
    allowed = {"mount", "mount again"}  # in the guest's own kernel
    assert {name for name, number in attempts.items() if number == 0} - allowed == set(), attempts
    assert len(attempts) > 20


@pytest.mark.parametrize("place", ["kernel", "process 1"])
def test_without_landlock_the_same_guest_changes_what_its_user_may(home: Home, place: str) -> None:
    before = home.digest()
    confinement, attempts, memory = attacked(home, place, mask="landlock")
    assert confinement == "not confined"
    assert home.digest() != before
    assert (home.tree / "new").read_text(encoding="utf-8") == "attacked\n"
    assert attempts["append"] == attempts["remove"] == 0
    if home.uid and not is_guarded():
        assert memory == "attacked", attempts  # of root's process by root only with a capability that the guest has not


@pytest.mark.parametrize("place", ["kernel", "process 1"])
def test_without_filters_of_system_calls_a_guest_changes_what_landlock_does_not_look_at(home: Home, place: str) -> None:
    before = home.digest()
    confinement, attempts, memory = attacked(home, place, mask="seccomp")
    assert confinement == "not confined"
    assert home.digest() != before
    assert attempts["mode"] == attempts["times"] == 0
    assert attempts["append"] != 0
    assert memory == "untouched"


@pytest.mark.long
@START
@pytest.mark.parametrize("mask", ["", "landlock"])
def test_a_program_has_no_powers_in_a_guest_and_the_result_says_whether_that_is_confined(home: Home, mask: str) -> None:
    workload = {"command": ["sh", "-c", PROGRAM]}
    spec = {"duration": "1 s", "path": PATH, "flows": [{"cc": "cubic", "workload": workload}]}
    before = home.digest()
    output, confinement, *_ = json.loads(home.process(RUN, mask=mask, spec=spec, first=str(home.cache / "first")))
    assert home.digest() == before
    assert output == f"plain\nattacked\n{home.uid}\n{POWERLESS}NoNewPrivs:\t1\n"
    assert confinement == "not confined" if mask else confinement.startswith("confined (Landlock ABI ")


@pytest.mark.long
@START
@pytest.mark.parametrize("mask", ["", "landlock"])
def test_a_run_is_the_same_to_the_byte_whoever_runs_it_confined_or_not(home: Home, mask: str) -> None:
    """Beside root's, which is confined where it can be."""
    program = {"command": ["sh", "-c", "sleep 0.2; cat plain"]}
    flows = [{"cc": "cubic", "workload": program}, {"cc": "bbr"}, {"cc": "cubic"}]
    spec = {"duration": "2 s", "path": PATH | {"loss": "1 %"}, "flows": flows}
    output, _, runs, are_same = json.loads(home.process(RUN, mask=mask, spec=spec, first=str(home.cache / "first")))
    assert (output, runs, are_same) == ("plain\n", 2, True)


@pytest.mark.parametrize("mask", ["", "landlock"])
def test_doctor_says_whether_guests_are_confined(built: Kernel, mask: str) -> None:
    script = "import sys; from masked import mask; mask(*sys.argv[1:2]) if sys.argv[1] else None; sys.argv[1:2] = []"
    script += "; from dumbbell.cli.main import main; main()"
    command = [sys.executable, "-c", script, mask, "doctor", "--engine", f"linux:{built.name}", "--json"]
    environment = os.environ | {"PYTHONPATH": str(SOURCE.parents[1] / "support")}
    done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", env=environment, timeout=120)
    (finding,) = (each for each in json.loads(done.stdout) if each["what"] == "guest")
    assert finding["healthy"]
    assert finding["words"].startswith("not confined: " if mask else "confined (Landlock ABI ")
