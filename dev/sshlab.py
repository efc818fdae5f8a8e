"""Hosts that SSH reaches, made of this machine: each is an `sshd` in namespaces of its own, behind a link of its own.

A host can write its home folder and nothing else. All of it ends with the process that holds its namespaces.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import count
from pathlib import Path

from dumbbell.errors import EngineFailure

SSHD = "/usr/sbin/sshd"
NEEDED = (SSHD, "ssh", "sftp", "ssh-keygen", "unshare", "ip")
USER = "lab"
UID = 12345
LACKING = ("iperf3", "nc")
"""Tools that the second sender has not."""
SHIFT_S = 1000
"""How far the clock that starts with a machine is ahead on a host that has another one."""

ENTERED = "in its namespaces"
LISTENS = "Server listening"

_numbers = count()


@dataclass(frozen=True)
class LabHost:
    """A host of the lab; `home` is its user's folder, as this process sees it."""

    name: str
    address: str
    port: int
    home: Path
    link: str
    """This machine's end of the link to it."""
    process: subprocess.Popen[bytes]

    @property
    def agents(self) -> list[Path]:
        """What lies where agents are brought, with what is left of those that were not."""
        return sorted(self.home.glob(".dumbbell/*"))

    def fake_agent(self, program: str, script: str) -> None:
        """Has it start a script of the shell in the agent's place."""
        file = self.home / program
        file.parent.mkdir(mode=0o700, exist_ok=True)
        file.unlink(missing_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o700)


@dataclass(frozen=True)
class Lab:
    """Hosts, and the ssh_config by which this machine comes to them."""

    folder: Path
    hosts: dict[str, LabHost]

    @property
    def config(self) -> Path:
        return self.folder / "ssh_config"

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    def inventory(self, **more: str) -> Path:
        """An inventory of two senders, a receiver and a router; `more` lines for a host's table, by its name."""
        parts = []
        for table, name in (("[[senders]]", "s1"), ("[[senders]]", "s2"), ("[[receivers]]", "r1"), ("[router]", "mid")):
            host = self.hosts[name]
            lines = [table, f'name = "{name}"', f'ssh = "{name}"', f'address = "{host.address}"', 'interface = "eth0"']
            parts.append("\n".join([*lines, *([more[name]] if name in more else [])]))
        file = self.folder / "hosts.toml"
        file.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        return file

    def testbed(
        self, senders: tuple[str, ...] = ("s1",), receiver: str = "r1", router: str = "mid", **more: str
    ) -> Path:
        """An inventory of what carries data: senders, the receiver, and the router that all of them are wired to."""
        parts = []
        tables = [*(("[[senders]]", name) for name in senders), ("[[receivers]]", receiver)]
        for table, name in [*tables, *([("[router]", router)] if router else [])]:
            host = self.hosts[name]
            lines = [table, f'name = "{name}"', f'ssh = "{name}"', f'interface = "{data_interface(name)}"']
            lines += [f'address = "{data_address(name)}"'] if table != "[router]" else []
            parts.append("\n".join([*lines, *([more[host.name]] if name in more else [])]))
        file = self.folder / f"testbed-{'-'.join([*senders, receiver, *more])}.toml"
        file.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        return file

    @contextmanager
    def another(self, name: str, room: str = "64m") -> Iterator[LabHost]:
        """One host more, in no inventory, which a test may break."""
        more = host(self.folder, name, len(self.hosts), [], room)
        known, config = (file.read_text(encoding="utf-8") for file in (self.known_hosts, self.config))
        try:
            until_it_says(more, LISTENS)
            self.known_hosts.write_text(known + known_line(more), encoding="utf-8")
            self.config.write_text(alias(more) + config, encoding="utf-8")
            yield more
        finally:
            self.known_hosts.write_text(known, encoding="utf-8")
            self.config.write_text(config, encoding="utf-8")
            end(more)
            for file in self.folder.glob(f"{name}_*"):
                file.unlink()
            more.home.rmdir()


def obstacle() -> str | None:
    """Why there can be no lab; None: there can."""
    if os.geteuid() != 0:
        return "makes namespaces, which needs root"
    missing = [each for each in NEEDED if shutil.which(each) is None]
    return f"no lab without {', '.join(missing)} (make tools)" if missing else None


@contextmanager
def lab(folder: Path, mtu_bytes: int = 1500) -> Iterator[Lab]:
    """Two senders, one of which has another clock since its start; a receiver, of a plain user; a router.

    `mtu_bytes`: of the links between them.
    """
    key(folder / "user_key")
    shutil.copy(folder / "user_key.pub", folder / "authorized_keys")
    with hosts(
        folder, {"s1": [], "s2": ["--time", "--monotonic", str(SHIFT_S)], "r1": [], "mid": [], "r2": []}
    ) as made:
        (folder / "known_hosts").write_text("".join(map(known_line, made.values())), encoding="utf-8")
        always = (
            f"Host *\n  IdentityFile {folder}/user_key\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {folder}/known_hosts\n  GlobalKnownHostsFile /dev/null\n"
        )
        (folder / "ssh_config").write_text("".join([*map(alias, made.values()), always]), encoding="utf-8")
        wire(made, mtu_bytes)
        yield Lab(folder, made)


@contextmanager
def hosts(folder: Path, wanted: dict[str, list[str]]) -> Iterator[dict[str, LabHost]]:
    """Hosts by their names, each with more arguments of `unshare`; the last has ended when this has."""
    made: dict[str, LabHost] = {}
    try:
        for nth, (name, namespaces) in enumerate(wanted.items()):
            made[name] = host(folder, name, nth, namespaces)
        for each in made.values():
            until_it_says(each, LISTENS)
        yield made
    finally:
        for each in made.values():
            end(each)


def host(folder: Path, name: str, nth: int, namespaces: list[str], room: str = "64m") -> LabHost:
    """Starts one. Its home is a small disk of its own; its link's other end is here, and goes with it."""
    number = os.getpid() % 2048 * 16 + next(_numbers) % 16  # an interface vanishes some time after its namespace
    first = int(ip_address("198.18.0.0")) + 4 * number  # RFC 2544 has 198.18.0.0/15 for tests
    near, address = ip_address(first + 1), str(ip_address(first + 2))
    port, here = 22000 + nth, f"dbl{number}"
    key(folder / f"{name}_key")
    home = folder / f"home-{name}"
    home.mkdir()
    ran("mount", "-t", "tmpfs", "-o", f"size={room},mode=755", "none", home)
    shutil.chown(home, UID if user_of(name) == USER else 0)
    passwd = folder / f"{name}_passwd"
    lines = [*Path("/etc/passwd").read_text(encoding="utf-8").splitlines(), f"{USER}:x:{UID}:{UID}::{home}:/bin/sh"]
    lines = [line.replace(":/root:", f":{home}:") if line.startswith("root:") else line for line in lines]
    passwd.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / f"{name}_sshd").write_text(
        textwrap.dedent(f"""\
            ListenAddress {address}:{port}
            HostKey {folder}/{name}_key
            AuthorizedKeysFile {folder}/authorized_keys
            StrictModes no
            UsePAM no
            PasswordAuthentication no
            PidFile none
            Subsystem sftp internal-sftp
            SetEnv TMPDIR={home}
            """),
        encoding="utf-8",
    )
    script = textwrap.dedent(f"""\
        set -e
        mount --make-rprivate /
        mount -t tmpfs -o mode=755 none /run
        mkdir /run/sshd
        mount --bind {shlex.quote(str(passwd))} /etc/passwd
        for tool in {" ".join(LACKING) if name == "s2" else ""}; do
            file=$(command -v $tool) && mount --bind /dev/null $file || :
        done
        mount -o remount,ro,bind /
        ip link set lo up
        echo {ENTERED}
        read ready
        ip address add {address}/30 dev eth0
        ip link set eth0 up
        exec {SSHD} -D -e -f {shlex.quote(str(folder))}/{name}_sshd
        """)
    command = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", *namespaces]
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 (a list of arguments)
            ["/usr/bin/env", *command, "sh", "-c", script], stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT
        )
    made = LabHost(name, address, port, home, here, process)
    until_it_says(made, ENTERED)
    peer = ["peer", "name", "eth0", "netns", str(process.pid)]
    for arguments in (
        ["link", "add", here, "type", "veth", *peer],
        ["address", "add", f"{near}/30", "dev", here],
        ["link", "set", here, "up"],
    ):
        ran("ip", *arguments)
    assert process.stdin is not None  # noqa: S101 (it was asked for)
    process.stdin.write(b"go\n")
    process.stdin.close()
    return made


WIRED = ("s1", "s2", "r2", "r1")
"""Those that a link of their own leads to the router from."""


def data_address(name: str) -> str:
    """Where a host's data comes and goes."""
    return f"192.0.2.{4 * WIRED.index(name) + 1}"  # RFC 5737 has 192.0.2.0/24 for examples


def data_interface(name: str) -> str:
    """By which it does; of the router, towards the receiver."""
    return f"to-{WIRED[-1]}" if name == "mid" else "eth1"


def wire(hosts: dict[str, LabHost], mtu_bytes: int) -> None:
    """Links each host to the router, which forwards."""
    router = hosts["mid"].process.pid
    for name in WIRED:
        host, own = hosts[name].process.pid, ip_address(data_address(name))
        peer = ["peer", "name", f"to-{name}", "netns", str(router)]
        inside(host, "ip", "link", "add", "eth1", "type", "veth", *peer)
        for process, device, address in ((host, "eth1", own), (router, f"to-{name}", own + 1)):
            inside(process, "ip", "address", "add", f"{address}/30", "dev", device)
            inside(process, "ip", "link", "set", device, "mtu", str(mtu_bytes), "up")
        inside(host, "ip", "route", "add", "192.0.2.0/24", "via", str(own + 1))
    inside(router, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1")


def inside(process: int, *command: str) -> str:
    """What a command prints in the network of a host, by its process."""
    return ran("nsenter", f"--net=/proc/{process}/ns/net", *command)


def ran(*command: str | Path) -> str:
    """What a command prints."""
    done = subprocess.run(["/usr/bin/env", *command], capture_output=True, text=True, check=True)  # noqa: S603 (a list of arguments)
    return done.stdout


def end(each: LabHost) -> None:
    """Ends a host, and so all that lives in its namespace of processes."""
    each.process.kill()
    each.process.wait()
    # A connection that nobody closed would keep the namespace, and so the link, for minutes.
    with suppress(subprocess.CalledProcessError):  # it has gone with its namespace
        ran("ip", "link", "delete", each.link)
    ran("umount", each.home)


def known_line(each: LabHost) -> str:
    """Of known_hosts."""
    return f"[{each.address}]:{each.port} {public(each.home.parent / f'{each.name}_key')}\n"


def alias(each: LabHost) -> str:
    """Of an ssh_config."""
    return f"Host {each.name}\n  HostName {each.address}\n  Port {each.port}\n  User {user_of(each.name)}\n"


def user_of(name: str) -> str:
    """Who SSH comes in as."""
    return USER if name == "r1" else "root"


def key(file: Path) -> None:
    ran("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file)


def public(file: Path) -> str:
    return " ".join(file.with_name(f"{file.name}.pub").read_text(encoding="utf-8").split()[:2])


def until_it_says(each: LabHost, text: str) -> None:
    """Waits for what a host writes when it has come so far.

    Raises:
        EngineFailure: it has ended instead.
    """
    log = each.home.parent / f"{each.name}.log"
    while text not in (written := log.read_text(encoding="utf-8")):
        if each.process.poll() is not None:
            raise EngineFailure(f"{each.name} of the lab has ended: {written}")
        time.sleep(0.01)
