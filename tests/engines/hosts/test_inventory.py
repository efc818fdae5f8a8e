"""What an inventory may say; and that nothing else of it comes to a shell, or to who reads options."""

from __future__ import annotations

import itertools
import json
import os
import stat
from pathlib import Path

import pytest
import tomli_w

from commandline import ROOT, dumbbell
from dumbbell.engines import agent
from dumbbell.engines.hosts.connection import program
from dumbbell.engines.hosts.inventory import read, ssh_config
from dumbbell.engines.hosts.survey import survey
from dumbbell.spec import SpecError

GOOD = {
    "senders": [{"name": "a", "ssh": "me@a.example", "address": "10.0.0.1", "interface": "eth0"}],
    "receivers": [{"name": "b", "ssh": "b", "address": "10.0.0.2", "interface": "enp3s0.7", "shape": True}],
    "router": {"name": "r", "ssh": "r_1", "interface": "eth1"},
}
HOSTILE = [
    "a;touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "a\ntouch pwned",
    "a\n",
    "\na",
    "a'b",
    'a"b',
    "a b",
    "a\tb",
    "a|b",
    "a&b",
    "a>b",
    "a*",
    "a\\b",
    "a\0b",
    "-oProxyCommand=touch pwned",
    "-",
    "--",
    "",
    "../a",
    "..",
    "/etc/passwd",
    "a:b",
    "a%h",
    "a@-oProxyCommand=x",
    "-l@a",
    "a@b@c",
    "ssh://a",
    "~",
    "a\x1b[2J",
    "ä",
    "a" * 300,
]
NAME = 'letters, digits, "-" and "_", at most 32, the first a letter or a digit'
DESTINATION = (
    'HOST or USER@HOST of letters, digits, ".", "-" and "_"; give a port, a key or IPv6 to an alias of ssh_config'
)
PLACES = [
    ("senders[0].", "name"), ("senders[0].", "ssh"), ("senders[0].", "address"), ("senders[0].", "interface"),
    ("senders[0].", "to"), ("senders[0].", "shape"), ("receivers[0].", "name"), ("receivers[0].", "ssh"),
    ("receivers[0].", "address"), ("receivers[0].", "interface"), ("router.", "name"), ("router.", "ssh"),
    ("router.", "interface"), ("router.", "address"), ("", "config"), ("router.", "shape"), ("router.", "port"),
]  # fmt: skip


def written(folder: Path, table: str = "", field: str = "", value: object = "") -> Path:
    """The good one, with one field that is otherwise."""
    fields = json.loads(json.dumps(GOOD))
    at = {"": fields, "senders[0].": fields["senders"][0], "receivers[0].": fields["receivers"][0]}
    if field:
        at.get(table, fields["router"])[field] = value
    file = folder / "hosts.toml"
    file.write_text(tomli_w.dumps(fields), encoding="utf-8")
    return file


def problems(file: Path) -> list[str]:
    with pytest.raises(SpecError) as error:
        read(file)
    return [str(each).removeprefix(f"{file}: ") for each in error.value.problems]


def test_a_good_one(tmp_path: Path) -> None:
    inventory = read(written(tmp_path))
    assert [(role, host.name, host.shape) for role, host in inventory.hosts()] == [
        ("sender", "a", False), ("receiver", "b", True), ("router", "r", False),
    ]  # fmt: skip
    assert inventory.receiver_of(inventory.senders[0]).address == "10.0.0.2"


def test_the_one_of_the_documentation(tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/hosts-behind-ssh.md").read_text(encoding="utf-8")
    file = tmp_path / "hosts.toml"
    file.write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    inventory = read(file)
    assert [host.name for _, host in inventory.hosts()] == ["alice", "bob", "carol"]


@pytest.mark.parametrize(("table", "field"), PLACES)
def test_what_is_hostile_is_refused_with_its_field(tmp_path: Path, table: str, field: str) -> None:
    for value in HOSTILE:
        (problem,) = problems(written(tmp_path, table, field, value))
        assert problem.startswith(f"{table}{field}: "), value
        assert problem.isprintable(), value


def test_what_is_of_another_type_is_refused(tmp_path: Path) -> None:
    for (table, field), value in itertools.product(PLACES, (7, ["a"], {"a": 1})):
        (problem, *_) = problems(written(tmp_path, table, field, value))
        assert problem.startswith(f"{table}{field}: "), (field, value)


def test_all_problems_at_once(tmp_path: Path) -> None:
    file = tmp_path / "hosts.toml"
    file.write_text('[[senders]]\nname = "-a"\nssh = "b;c"\n[routers]\n', encoding="utf-8")
    assert problems(file) == [
        f'senders[0].name: "-a" is not allowed; write {NAME}',
        f'senders[0].ssh: "b;c" is not allowed; write {DESTINATION}',
        "senders[0].interface: is missing; each host has a name, ssh, an address and an interface",
        "senders[0].address: is missing; each host has a name, ssh, an address and an interface",
        "receivers: is missing; write [[receivers]] at least once",
        "routers: is no field of an inventory; write one of senders, receivers, router",
    ]


def test_contradictions(tmp_path: Path) -> None:
    assert problems(written(tmp_path, "router.", "name", "a")) == [
        'router.name: "a" is the name of senders[0], too; give each host a name of its own'
    ]
    assert problems(written(tmp_path, "senders[0].", "to", "c")) == [
        'senders[0].to: no receiver is named "c"; write one of b'
    ]
    assert problems(written(tmp_path, "senders[0].", "address", "fd00::1")) == [
        'senders[0].address: "fd00::1" cannot reach b\'s "10.0.0.2"; give both an address of IPv4, or of IPv6'
    ]
    two = json.loads(json.dumps(GOOD))
    two["receivers"].append({**two["receivers"][0], "name": "c"})
    file = tmp_path / "two.toml"
    file.write_text(tomli_w.dumps(two), encoding="utf-8")
    assert problems(file) == ["senders[0].to: is missing, and there are several receivers; write one of b, c"]


def test_a_file_that_is_none(tmp_path: Path) -> None:
    done = dumbbell("doctor", "--inventory", tmp_path / "absent.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{tmp_path}/absent.toml: no such file; give the path of a TOML file\n"
    file = tmp_path / "broken.toml"
    file.write_text("[[senders]\n", encoding="utf-8")
    assert dumbbell("doctor", "--inventory", file).stderr.startswith(f"{file}: is no TOML: ")


def test_a_destination_is_one_argument_behind_all_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ssh` and `sftp` that write down what they got; the odd path of an ssh_config is one argument, too."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for name, status in (("ssh", 127), ("sftp", 1)):
        file = bin_folder / name
        record = f'printf "%s\\0" "$@" >"{tmp_path}/$$.{name}"\nhead -n 1 >"{tmp_path}/$$.{name}.input"'
        file.write_text(f"#!/bin/sh\n{record}\nexit {status}\n", encoding="utf-8")
        file.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    config = tmp_path / "-oProxyCommand=touch $(pwned); 'a\"b"
    config.write_text("", encoding="utf-8")
    before = set(tmp_path.iterdir())
    reports = survey(read(written(tmp_path)), ssh_config(config))
    assert [each.problems for each in reports] == [("copy the agent: it printed nothing",)] * 3
    for client, count in (("ssh", 3), ("sftp", 6)):
        files = sorted(tmp_path.glob(f"*.{client}"))
        assert len(files) == count
        destinations = []
        for file in files:
            parts = file.read_text(encoding="utf-8").split("\0")[:-1]
            end = parts.index("--")
            destinations.append(parts[end + 1])
            assert parts[parts.index("-F") + 1] == str(config)
            options = [word for word in parts[:end] if word not in {"-F", str(config), "-b", "-"}]
            assert all(word.startswith("-o") or word in {"-T", "-a", "-x"} for word in options)
            assert {"-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oClearAllForwardings=yes"} <= set(options)
            assert parts[end + 2 :] == ([f"{program(agent.path())} serve"] if client == "ssh" else [])
        assert set(destinations) == {"me@a.example", "b", "r_1"}
    inputs = {file.read_text(encoding="utf-8") for file in tmp_path.glob("*.ssh.input")}
    assert inputs == {'{"id": 1, "request": "hello"}\n'}
    left = {each.name for each in set(tmp_path.iterdir()) - before} - {"hosts.toml"}
    assert all(name.endswith((".ssh", ".sftp", ".input")) for name in left), left


def test_an_ssh_config_that_is_none(tmp_path: Path) -> None:
    for name, said in (("absent", "no such file; give the path of an ssh_config file"), ("", "is a folder; ")):
        done = dumbbell("doctor", "--inventory", written(tmp_path), "--ssh-config", tmp_path / name)
        assert done.returncode == 2
        assert done.stderr.startswith(f"{tmp_path / name}: {said}")


def test_no_ssh_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (report, *_) = survey(read(written(tmp_path)))
    assert report.problems == ("connect: ssh cannot be started (No such file or directory); install OpenSSH's client",)
