"""A variant as a module of a kernel: what is written, what is refused; and one that is compiled, and not loaded."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import dumbbell
from dumbbell.cc import variants
from dumbbell.errors import KernelError
from dumbbell.kernel import congestion, module
from dumbbell.kernel.module import write_module
from dumbbell.kernel.recipe import recipe

MakeTree = Callable[..., Path]
RUNS = "6.1.0-99-amd64"
OTHER = "6.12.9-amd64"


def headers(folder: Path, release: str = RUNS, version: tuple[int, int, int] = (6, 1, 190)) -> Path:
    """What Debian's package of headers has to tell which kernel they are of."""
    code = int.from_bytes(version, "big")
    for file, text in (
        (module._VERSION, f"#define LINUX_VERSION_CODE {code}\n#define LINUX_VERSION_MAJOR {version[0]}\n"),
        (module._RELEASE, f'#define UTS_RELEASE "{release}"\n'),
    ):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return folder


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose kernel loads modules and is of Debian, without its headers and any source; gives its root."""
    root = tmp_path / "machine"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setattr(module, "_LOADED", root / "modules")
    monkeypatch.setattr(module, "_LOCKED", root / "modules_disabled")
    monkeypatch.setattr(module, "_RELEASES", root / "lib")
    monkeypatch.setattr(module, "_TARBALL", f"{root}/linux-source-{{}}.tar.xz")
    monkeypatch.setattr("platform.release", lambda: RUNS)
    monkeypatch.setattr("sys.platform", "linux")
    (root / "modules").touch()
    return root


@pytest.fixture
def tarball(machine: Path, make_tree: MakeTree) -> Path:
    """Where Debian has its source of 6.1."""
    path = machine / "linux-source-6.1.tar.xz"
    with tarfile.open(path, "w:xz") as opened:
        opened.add(make_tree(), "linux-source-6.1")
    return path


def refusal(*arguments: str | Path) -> str:
    """The line with which `kernel module` refuses something, and writes nothing."""
    before = sorted(Path().rglob("*"))
    done = dumbbell("kernel", "module", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sorted(Path().rglob("*")) == before
    (line,) = done.stderr.splitlines()
    return line


def test_a_variant_of_version_1_is_no_module_of_version_3(tree_3: Path) -> None:
    assert refusal("bbr_shallow", "--source", tree_3) == (
        "net/ipv4/tcp_bbr.c: its bbr is version 3, and bbr_shallow is a variant of version 1"
    )


def test_the_source_is_the_kernels_with_the_variants_changes(make_tree: MakeTree) -> None:
    tree = make_tree()
    original = (tree / "net/ipv4/tcp_bbr.c").read_text()
    written = write_module("bbr_shallow", source=tree)
    assert {each.name for each in written.folder.iterdir()} == {"Kbuild", "Makefile", "README.md", "tcp_bbr_shallow.c"}
    text = (written.folder / "tcp_bbr_shallow.c").read_text()
    changed = [pair for pair in zip(original.splitlines(), text.splitlines(), strict=True) if pair[0] != pair[1]]
    assert {(old.strip(), new.strip()) for old, new in changed} == {
        ("bbr_cwnd_gain  = BBR_UNIT * 2;", "bbr_cwnd_gain  = BBR_UNIT * 3 / 2;"),
        ("ret = register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &tcp_bbr_kfunc_set);", "ret = 0;"),
        ('.name	= "bbr",', '.name	= "bbr_shallow",'),
    }
    assert congestion.registered([text]) == ["bbr_shallow"]
    assert (tree / "net/ipv4/tcp_bbr.c").read_text() == original


def test_what_builds_it_names_the_kernel_and_the_commands(machine: Path, make_tree: MakeTree) -> None:
    headers(machine / "lib" / RUNS / "build")
    written = write_module("bbr_shallow", source=make_tree())
    assert (written.folder / "Kbuild").read_text() == "obj-m := tcp_bbr_shallow.o\n"
    assert f"KDIR ?= {machine}/lib/{RUNS}/build\n" in (written.folder / "Makefile").read_text()
    readme = (written.folder / "README.md").read_text()
    for command in (
        "make\n",
        "insmod tcp_bbr_shallow.ko\n",
        "sysctl net.ipv4.tcp_available_congestion_control\n",
        "rmmod tcp_bbr_shallow\n",
    ):
        assert f"\n    {command}" in readme
    assert f"apt-get install make linux-headers-{RUNS}`" in readme
    for each in (*variants()["bbr_shallow"].linux, {"match": recipe().module[0].match, "replace": "ret = 0;"}):
        assert f"- `{each['match']}` became `{each['replace']}`" in readme


@pytest.mark.parametrize("name", [each.name for each in variants().values() if each.linux])
def test_every_variant_of_linux_can_be_a_module(name: str, make_tree: MakeTree) -> None:
    written = write_module(name, source=make_tree())
    own = congestion.short_name(name)
    assert written.name == f"tcp_{own}", "the kernel asks for the module of a congestion control by this name"
    text = (written.folder / f"tcp_{own}.c").read_text()
    assert congestion.registered([text]) == [own]
    assert all(each["replace"] in text for each in variants()[name].linux)


def test_a_tarball_is_as_good_as_a_tree(tarball: Path, make_tree: MakeTree) -> None:
    packed = write_module("bbr_4_17", out=Path("packed"))
    unpacked = write_module("bbr_4_17", source=make_tree(), out=Path("unpacked"))
    assert packed.version == unpacked.version == "6.1.999"
    assert tarball.is_file()
    assert (packed.folder / "tcp_bbr_4_17.c").read_bytes() == (unpacked.folder / "tcp_bbr_4_17.c").read_bytes()


def test_what_only_newer_kernels_have_is_not_asked_of_an_older_one(make_tree: MakeTree, tmp_path: Path) -> None:
    tree = make_tree()
    makefile = tree / "Makefile"
    makefile.write_text(makefile.read_text().replace("VERSION = 6\nPATCHLEVEL = 1\n", "VERSION = 5\nPATCHLEVEL = 10\n"))
    code = tree / "net/ipv4/tcp_bbr.c"
    code.write_text(code.read_text().replace(recipe().module[0].match, ""))
    older = headers(tmp_path / "older", "5.10.0-30-amd64", (5, 10, 218))
    written = write_module("bbr_shallow", source=tree, headers=older)
    assert written.target is not None
    assert (written.version, written.target.version) == ("5.10.999", "5.10.218")
    assert "BTF" not in (written.folder / "README.md").read_text()


def test_it_can_be_written_again_and_what_make_left_stays(make_tree: MakeTree) -> None:
    tree = make_tree()
    folder = write_module("bbr_shallow", source=tree).folder
    (folder / "tcp_bbr_shallow.ko").touch()
    (folder / "Makefile").write_text("changed")
    assert write_module("bbr_shallow", source=tree).folder == folder
    assert (folder / "tcp_bbr_shallow.ko").exists()
    assert "KDIR" in (folder / "Makefile").read_text()


@pytest.mark.usefixtures("tarball")
def test_the_command_says_the_folder_and_what_is_next(machine: Path, tmp_path: Path) -> None:
    done = dumbbell("kernel", "module", "bbr_shallow")
    assert (done.returncode, done.stdout) == (0, "tcp_bbr_shallow\n")
    made = "tcp_bbr_shallow is written, of Linux 6.1.999, for 6.1.0-99-amd64; next: "
    assert done.stderr == f"{made}apt-get install linux-headers-{RUNS}, make -C tcp_bbr_shallow\n"
    headers(machine / "lib" / RUNS / "build")
    assert dumbbell("kernel", "module", "bbr_shallow").stderr == f"{made}make -C tcp_bbr_shallow\n"
    out = tmp_path / "out" / "bbr"
    assert dumbbell("kernel", "module", "bbr_shallow", "--out", out).stdout == f"{out}\n"


NO_MODULES = f"the kernel of this machine ({RUNS}) was built without modules (CONFIG_MODULES)"
LOCKED = f"the kernel of this machine ({RUNS}) loads no module until it is started again (kernel.modules_disabled)"


@pytest.mark.usefixtures("tarball")
@pytest.mark.parametrize("reason", [NO_MODULES, LOCKED])
def test_a_kernel_that_loads_no_modules_is_refused_but_the_files_are_there(
    reason: str, machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason == NO_MODULES:
        (machine / "modules").unlink()
    (machine / "modules_disabled").write_text("0\n" if reason == NO_MODULES else "1\n")
    done = dumbbell("kernel", "module", "bbr_shallow")
    assert (done.returncode, done.stdout) == (1, "tcp_bbr_shallow\n")
    assert done.stderr == (
        f"tcp_bbr_shallow is written, of Linux 6.1.999, but {reason}: make it and load it on a machine "
        "that runs Linux 6.1, or say --headers DIR\n"
    )
    assert "KDIR ?= " in (makefile := Path("tcp_bbr_shallow/Makefile").read_text())
    assert "/$(shell uname -r)/build\n" in makefile
    assert "linux-headers-$(uname -r)`" in Path("tcp_bbr_shallow/README.md").read_text()
    # For a kernel that somebody names it does what was asked.
    done = dumbbell("kernel", "module", "bbr_shallow", "--headers", headers(tmp_path / "headers"))
    assert (done.returncode, done.stderr.count("next: make -C tcp_bbr_shallow\n")) == (0, 1)
    monkeypatch.setattr("sys.platform", "darwin")
    assert ", not Linux: make it" in dumbbell("kernel", "module", "bbr_shallow").stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bbr_shalow", 'there is no variant "bbr_shalow"; did you mean "bbr_shallow"?'),
        (
            "bbr_steady_rtt",
            "bbr_steady_rtt cannot be a module: only the simulator has it; variants of Linux: bbr_1_1, ",
        ),
        ("cubic", "cubic is Linux's own, and no variant of it: `modprobe tcp_cubic` loads it"),
    ],
)
def test_what_is_no_variant_of_linux_is_refused(name: str, message: str) -> None:
    assert refusal(name).startswith(message)


@pytest.mark.usefixtures("tarball")
def test_a_source_of_another_version_is_refused_with_both_and_the_package(tarball: Path, tmp_path: Path) -> None:
    newer = headers(tmp_path / "newer", OTHER, (6, 12, 9))
    advice = "`apt-get install linux-source-6.12` installs Debian's, and --source names another"
    assert refusal("bbr_shallow", "--source", tarball, "--headers", newer) == (
        f"{tarball} is Linux 6.1.999, but {OTHER} is Linux 6.12.9; {advice}"
    )
    absent = tarball.with_name("linux-source-6.12.tar.xz")
    assert refusal("bbr_shallow", "--headers", newer) == f"{absent} is not there; {advice}"


def test_the_kernel_that_runs_is_what_a_source_has_to_fit(tarball: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.release", lambda: OTHER)
    line = refusal("bbr_shallow", "--source", tarball)
    assert line.startswith(
        f"{tarball} is Linux 6.1.999, but {OTHER} is Linux {OTHER}; `apt-get install linux-source-6.12`"
    )


def test_a_source_without_the_text_is_refused_as_a_build_refuses_it(make_tree: MakeTree) -> None:
    tree = make_tree()
    code = tree / "net/ipv4/tcp_bbr.c"
    text = code.read_text()
    code.write_text(text.replace("bbr_cwnd_gain  = BBR_UNIT * 2;", "bbr_cwnd_gain  = BBR_UNIT * 3;"))
    missing = '"bbr_cwnd_gain = BBR_UNIT * 2;" does not occur, not 1 (variant bbr_shallow)'
    assert refusal("bbr_shallow", "--source", tree) == f"net/ipv4/tcp_bbr.c: {missing}"
    code.write_text(text.replace('.name	= "bbr"', '.name	= "bbr3"'))
    assert "it registers ['bbr3'], not \"bbr\"" in refusal("bbr_shallow", "--source", tree)
    code.write_text(text.replace("&tcp_bbr_kfunc_set);", "&other);"))
    assert '"ret = register_btf_kfunc_id_set(BPF_PROG' in refusal("bbr_shallow", "--source", tree)
    code.unlink()
    assert refusal("bbr_shallow", "--source", tree) == "net/ipv4/tcp_bbr.c: there is no such file in this source"


def test_what_is_no_source_is_refused(tmp_path: Path, tarball: Path) -> None:
    assert "is no source of Linux: neither" in refusal("bbr_shallow", "--source", tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    assert "is no source of Linux: it has no Makefile" in refusal("bbr_shallow", "--source", tmp_path / "empty")
    tarball.write_bytes(tarball.read_bytes()[:1000])
    assert f"{tarball} is no " in refusal("bbr_shallow"), "it is cut short"
    tarball.write_bytes(b"a page of an error instead")
    assert "is no tarball that can be read: " in refusal("bbr_shallow")
    with tarfile.open(tmp_path / "other.tar", "w") as opened:
        opened.add(Path(__file__), "other/Makefile")
    assert "is no source of Linux: it has no arch/um/Kconfig" in refusal(
        "bbr_shallow", "--source", tmp_path / "other.tar"
    )


def test_what_are_no_headers_is_refused(tmp_path: Path, make_tree: MakeTree) -> None:
    line = refusal("bbr_shallow", "--source", make_tree(), "--headers", tmp_path)
    assert line.startswith(
        f"{tmp_path} has no headers to build a module with: no include/generated/uapi/linux/version.h"
    )
    with_space = headers(tmp_path / "with space")
    assert "make builds no module where a path has spaces" in refusal("bbr_shallow", "--headers", with_space)


def test_a_folder_of_somebody_else_is_left_alone(machine: Path, make_tree: MakeTree) -> None:
    tree = make_tree()
    (machine / "full").mkdir()
    (machine / "full" / "Makefile").write_text("mine")
    line = refusal("bbr_shallow", "--source", tree, "--out", "full")
    assert line == "full is not empty, and has no tcp_bbr_shallow.c; --out names another folder"
    assert refusal("bbr_shallow", "--source", tree, "--out", "modules") == "modules is a file; --out names a folder"
    assert refusal("bbr_shallow", "--source", tree, "--out", "modules/inner") == "modules/inner: Not a directory"
    assert "make builds no module" in refusal("bbr_shallow", "--source", tree, "--out", "a b")


def test_a_source_that_may_not_be_read_is_one_message(make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(tree: Path, *_: object) -> str:
        raise PermissionError(13, "Permission denied", str(tree))

    monkeypatch.setattr(module, "variant_source", refuse)
    tree = make_tree()
    with pytest.raises(KernelError, match=f"^{re.escape(str(tree))}: Permission denied$"):
        write_module("bbr_shallow", source=tree)


DEBIAN_HEADERS = sorted(Path("/usr/src").glob("linux-headers-6.1.0-*-amd64"))
DEBIAN_SOURCE = recipe().sources["6.1"].tarball


@pytest.mark.long
def test_debians_kernel_takes_the_module_as_far_as_a_compiler_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modinfo = shutil.which("modinfo", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    make = shutil.which("make")
    if make is None or modinfo is None or not (DEBIAN_HEADERS and DEBIAN_SOURCE.is_file()):
        pytest.skip("apt-get install linux-headers-amd64 linux-source-6.1 kmod make, of Debian 12, makes this test run")
    monkeypatch.setattr(module, "_TARBALL", "/usr/src/linux-source-{}.tar.xz")
    before = loaded()
    folder = tmp_path / "module"
    done = dumbbell("kernel", "module", "bbr_shallow", "--headers", DEBIAN_HEADERS[-1], "--out", folder)
    assert (done.returncode, done.stdout) == (0, f"{folder}\n"), done.stderr
    made = subprocess.run([make, "-C", folder], capture_output=True, check=False, encoding="utf-8")
    assert made.returncode == 0, made.stderr
    assert "warning" not in made.stderr
    built = folder / "tcp_bbr_shallow.ko"

    def field(name: str) -> list[str]:
        return subprocess.run(
            [modinfo, "-F", name, built], capture_output=True, check=True, encoding="utf-8"
        ).stdout.splitlines()

    release = DEBIAN_HEADERS[-1].name.removeprefix("linux-headers-")
    assert field("name") == ["tcp_bbr_shallow"]
    assert field("alias") == [], "the kernel asks for tcp_bbr_shallow, which is its name"
    assert field("vermagic")[0].split()[0] == release
    assert field("depends") == [""], "it needs no module but itself"
    assert b"bbr_shallow\0" in built.read_bytes()
    assert loaded() == before


def loaded() -> list[str]:
    """The modules in the kernel that runs, and its congestion controls."""
    files = (Path("/proc/modules"), Path("/proc/sys/net/ipv4/tcp_available_congestion_control"))
    names = [each.read_text().splitlines() for each in files if each.is_file()]
    return sorted(line.split()[0] if len(lines) > 1 else line for lines in names for line in lines)
