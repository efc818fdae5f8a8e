from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from types import MappingProxyType, SimpleNamespace

import pytest

from commandline import process
from dumbbell import kernel
from dumbbell.cc import variants
from dumbbell.engines.catalogue import built as usable
from dumbbell.errors import BuildFailure, KernelError, SubstitutionError
from dumbbell.kernel import building, toolchain
from dumbbell.kernel.congestion import short_name
from dumbbell.kernel.recipe import Recipe, recipe
from dumbbell.kernel.shelf import locked
from dumbbell.kernel.source import source_of
from processes import HANG_S, alive, children, soon

MakeTree = Callable[..., Path]

BUILD = """
from dumbbell import kernel
from dumbbell.kernel import building

building.require = lambda package: None
print("begun", flush=True)
kernel.build({tree!r}, progress=lambda what, done, total: done and print(what, flush=True))
"""

pytestmark = pytest.mark.usefixtures("tools", "shelf")


def phases(seen: list[str]) -> Callable[[str, int, int], None]:
    return lambda what, _done, _total: None if what in seen[-1:] else seen.append(what)


def contents(tree: Path) -> dict[str, str]:
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in tree.rglob("*") if path.is_file()}


def test_a_kernel_is_built_found_and_not_built_again(shelf: Path, make_tree: MakeTree) -> None:
    tree = make_tree()
    before, seen, again = contents(tree), list[str](), list[str]()
    built = kernel.build(tree, name="mine", progress=phases(seen))
    assert seen == ["reading the source", "copying the source", "configuring", "compiling", "finishing"]
    assert contents(tree) == before
    assert (built.name, built.release) == ("mine", "6.1.999")
    assert built.executable.parent == shelf / f"mine@{built.identity[:16]}"
    buildable = [name for name, variant in variants().items() if variant.linux]
    assert dict(built.controls) == {"bbr": "bbr"} | {name: short_name(name) for name in buildable}
    assert kernel.find("mine") == built
    assert kernel.kernels() == [built]
    assert kernel.build(tree, name="mine", progress=phases(again)) == built
    assert again == ["reading the source"]
    assert sorted(path.name for path in built.executable.parent.iterdir()) == ["kernel.json", "linux"]


def test_the_version_of_a_kernels_bbr_is_in_its_record(tree_3_and_1: Path, make_tree: MakeTree) -> None:
    first = kernel.build(make_tree(), name="mine")
    assert (dict(first.versions), first.title) == ({"bbr": 1}, "Linux 6.1")
    both = kernel.build(tree_3_and_1, name="both")
    assert dict(both.versions) == {"bbr": 3, "bbr1": 1}
    assert dict(both.controls) == {"bbr3": "bbr", "bbr": "bbr1"}
    assert "its bbr is version 3" in both.left_out["bbr_shallow"]
    assert kernel.find("both") == both
    assert both.title == "Linux 6.1, patched"


def test_another_name_is_no_other_build_and_fresh_builds_again(make_tree: MakeTree) -> None:
    tree, seen, again = make_tree(), list[str](), list[str]()
    first = kernel.build(tree)
    assert first.name == "6.1.999", "its release"
    second = kernel.build(tree, name="second", progress=phases(seen))
    assert "compiling" not in seen
    assert (second.name, second.identity, second.sha256) == ("second", first.identity, first.sha256)
    assert kernel.build(tree, fresh=True, progress=phases(again)).identity == first.identity
    assert "compiling" in again
    assert sorted(each.name for each in kernel.kernels()) == ["6.1.999", "second"]


def test_a_tarball_will_do(make_tree: MakeTree) -> None:
    tree = make_tree()
    (tree / "drivers/gpu").mkdir(parents=True)
    (tree / "drivers/gpu/card.c").write_text("what nobody reads")
    tarball = tree.with_suffix(".tar.gz")
    subprocess.run(["tar", "-czf", tarball, "-C", tree.parent, tree.name], check=True)  # noqa: S607 (the one in PATH)
    assert kernel.build(tarball).release == "6.1.999"


def test_the_newest_of_a_name_is_meant(make_tree: MakeTree) -> None:
    old, new = make_tree(name="old"), make_tree(work="true", name="new")
    first = kernel.build(old, name="mine")
    second = kernel.build(new, name="mine")
    assert first.identity != second.identity
    assert kernel.find("mine") == second
    assert kernel.build(old, name="mine") == first
    assert kernel.find("mine") == first
    kernel.remove("mine")
    assert kernel.kernels() == []


def test_versions_of_dumbbell_share_the_shelf_and_each_has_the_kernel_of_its_recipe(
    make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = make_tree()
    ours = kernel.build(tree, name="mine")
    with monkeypatch.context() as other:
        other.setattr(Recipe, "identity", lambda _recipe: "that of another version")
        assert usable() == []
        with pytest.raises(KernelError) as refused:
            kernel.find("mine")
        assert str(refused.value) == (
            'the kernel "mine" was built by another version of dumbbell, with another recipe; '
            f"`dumbbell kernel build --source {tree} --name mine` makes it (about 3 minutes)"
        )
        theirs = kernel.build(tree, name="mine")
        assert kernel.find("mine") == theirs
    assert theirs.identity != ours.identity
    assert kernel.find("mine") == ours, "though it is not the newest"
    assert usable() == [ours]
    assert kernel.kernels() == [theirs, ours]


@pytest.mark.parametrize(
    ("name", "source", "command"),
    [
        ("6.1", "/usr/src/linux-source-6.1.tar.xz", "dumbbell kernel build"),
        ("6.12", "/usr/src/linux-source-6.12.tar.xz", "dumbbell kernel build 6.12"),
        ("7.3", "/old/linux-source-7.3_7.3.1-1.tar.xz", "dumbbell kernel build 7.3"),
        ("6.1", "/home/me/linux", "dumbbell kernel build --source /home/me/linux --name 6.1"),
        ("mine", "/home/me/my linux", "dumbbell kernel build --source '/home/me/my linux' --name mine"),
    ],
)
def test_a_kernel_of_a_version_that_wrote_no_recipe_down_is_refused_with_the_command_that_makes_it(
    shelf: Path, make_tree: MakeTree, name: str, source: str, command: str
) -> None:
    built = kernel.build(make_tree(), name=name)
    description = built.executable.with_name("kernel.json")
    fields = json.loads(description.read_text())
    del fields["recipe"]
    description.write_text(json.dumps(fields | {"source": source}))
    with pytest.raises(KernelError, match="with another recipe") as refused:
        kernel.find(name)
    assert f"; `{command}` makes it" in str(refused.value)
    assert len(list(shelf.glob("*@*"))) == 1


@pytest.fixture
def earlier(shelf: Path, make_tree: MakeTree) -> Path:
    """The folder of a kernel where earlier versions built it, in the cache; the shelf is empty."""
    built = kernel.build(make_tree(), name="mine").executable.parent
    in_cache = shelf.parents[1] / "cache/kernels" / built.name
    in_cache.parent.mkdir(parents=True)
    built.rename(in_cache)
    shutil.rmtree(shelf)
    return in_cache


def test_a_kernel_that_an_earlier_version_built_into_the_cache_is_not_built_again(
    earlier: Path, shelf: Path, make_tree: MakeTree, caplog: pytest.LogCaptureFixture
) -> None:
    before, seen = contents(earlier), list[str]()
    copied = kernel.find("mine")
    assert caplog.messages == [f"copied the kernel mine from {earlier} to {shelf}, where kernels are now"]
    assert copied.executable.parent == shelf / earlier.name
    assert contents(earlier) == before, "a campaign may be running on it"
    assert kernel.build(make_tree(), name="mine", progress=phases(seen)) == copied
    assert seen == ["reading the source"]
    shutil.rmtree(earlier.parents[1])
    assert kernel.find("mine") == copied, "after somebody emptied the cache"
    assert len(caplog.messages) == 1


@pytest.mark.slow
def test_that_a_kernel_was_copied_is_one_line_of_the_command(earlier: Path, shelf: Path) -> None:
    first, second = process("kernel", "list"), process("kernel", "list")
    copied = f"copied the kernel mine from {earlier} to {shelf}, where kernels are now\n"
    assert (first.stderr, second.stderr) == (f"{copied}in {shelf}\n", f"in {shelf}\n")
    assert first.stdout == second.stdout


def test_a_kernel_that_was_removed_does_not_come_back_from_the_cache(earlier: Path) -> None:
    kernel.remove("mine")
    assert not earlier.exists()
    assert kernel.kernels() == []


def test_a_damaged_kernel_of_the_cache_stays_there(earlier: Path) -> None:
    (earlier / "linux").write_bytes(b"damage")
    assert kernel.kernels() == []
    assert earlier.exists()


@pytest.mark.usefixtures("earlier")
def test_a_kernel_of_the_cache_is_copied_when_no_build_is_under_way(shelf: Path) -> None:
    with locked(lambda: None):
        assert kernel.kernels() == []
        assert list(shelf.glob("*@*")) == []
    assert [each.name for each in kernel.kernels()] == ["mine"]


@pytest.mark.usefixtures("earlier")
def test_a_shelf_to_which_no_kernel_can_be_copied_is_named(shelf: Path) -> None:
    shelf.parent.rmdir()
    shelf.parent.touch()
    with pytest.raises(KernelError, match=f"^{shelf}: Not a directory; kernels are in {shelf} now"):
        kernel.find("mine")


def test_a_failed_build_leaves_its_log_and_no_kernel(shelf: Path, make_tree: MakeTree) -> None:
    tree = make_tree(work="echo what went wrong; false")
    with pytest.raises(
        BuildFailure, match=r"(?s)`make` failed with status 2 while compiling:.*what went wrong"
    ) as failure:
        kernel.build(tree, name="mine")
    assert str(failure.value).endswith(f"the log is {shelf / 'mine.failed.log'}")
    assert "what went wrong" in (shelf / "mine.failed.log").read_text()
    assert kernel.kernels() == []
    with pytest.raises(KernelError, match='no kernel "mine" here'):
        kernel.find("mine")


def test_an_executable_that_does_not_run_is_no_kernel(make_tree: MakeTree) -> None:
    tree = make_tree()
    makefile = tree / "Makefile"
    makefile.write_text(makefile.read_text().replace("return 0", "return 3"))
    with pytest.raises(BuildFailure, match="failed with status 3 while finishing"):
        kernel.build(tree)
    assert kernel.kernels() == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_build_leaves_nothing_that_counts(shelf: Path, make_tree: MakeTree, how: signal.Signals) -> None:
    tree = make_tree(work="while sleep 0.05; do echo again; done")
    with subprocess.Popen(
        [sys.executable, "-c", BUILD.format(tree=str(tree))],
        encoding="utf-8",
        stderr=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ) as builder:
        assert builder.stdout is not None
        assert [builder.stdout.readline().strip() for _ in range(2)] == ["begun", "compiling"]
        (made,) = children(builder.pid)
        builder.send_signal(how)
        builder.wait()
    assert soon(lambda: not alive(made))
    assert kernel.kernels() == []
    assert list(shelf.glob("*@*")) == []
    assert bool(list(shelf.glob(".building-*"))) == (how != signal.SIGINT)
    makefile = tree / "Makefile"
    makefile.write_text(makefile.read_text().replace("while sleep 0.05; do echo again; done", "true"))
    assert kernel.build(tree) == kernel.find("6.1.999")
    (shelf / ".building-killed").mkdir()
    kernel.remove("6.1.999")
    assert not (shelf / ".building-killed").exists()


def test_two_builds_at_once_are_one(make_tree: MakeTree, tmp_path: Path) -> None:
    tree = make_tree(work=f"until [ -e {tmp_path}/go ]; do sleep 0.02; done")
    begun, waits, built = Event(), Event(), list[kernel.Kernel]()
    second = list[str]()

    def report_second(what: str, done: int, total: int) -> None:
        phases(second)(what, done, total)
        if what.startswith("waiting"):
            waits.set()

    def build(progress: Callable[[str, int, int], None]) -> None:
        built.append(kernel.build(tree, progress=progress))

    threads = [
        Thread(target=build, args=(lambda what, _done, _total: begun.set() if what == "compiling" else None,)),
        Thread(target=build, args=(report_second,)),
    ]
    threads[0].start()
    assert begun.wait(HANG_S)
    threads[1].start()
    assert waits.wait(HANG_S)
    (tmp_path / "go").touch()
    for thread in threads:
        thread.join(HANG_S)
    assert built[0] == built[1]
    assert second == ["reading the source", "waiting for another build"]


def test_a_damaged_executable_is_seen_and_built_again(shelf: Path, make_tree: MakeTree) -> None:
    tree = make_tree()
    built = kernel.build(tree, name="mine")
    with built.executable.open("r+b") as stream:
        stream.seek(100)
        stream.write(b"damage")
    assert kernel.kernels() == []
    with pytest.raises(KernelError, match=r'"mine" is damaged: .*hash differs; `dumbbell kernel build .*` makes it'):
        kernel.find("mine")
    assert kernel.build(tree, name="mine").sha256 == kernel.find("mine").sha256
    built.executable.unlink()
    with pytest.raises(KernelError, match=r"damaged: .*No such file"):
        kernel.find("mine")
    (shelf / "mine.failed.log").touch()
    kernel.remove("mine")
    assert list(shelf.glob("mine*")) == []


def test_a_damaged_description_is_seen(make_tree: MakeTree) -> None:
    built = kernel.build(make_tree(), name="mine")
    for text in ("", "{", "[]", "{}", '{"schema": 1}', '{"schema": 0}', "\xff"):
        (built.executable.parent / "kernel.json").write_bytes(text.encode("latin-1"))
        assert kernel.kernels() == []
        with pytest.raises(KernelError, match=r'"mine" is damaged: .*kernel.json'):
            kernel.find("mine")


def test_the_identity_is_that_of_every_ingredient(monkeypatch: pytest.MonkeyPatch) -> None:
    full_recipe = recipe()
    first, *others = full_recipe.substitutions
    changed = [
        building.identity_of("tree", "gcc 12"),
        building.identity_of("another tree", "gcc 12"),
        building.identity_of("tree", "gcc 13"),
        building.identity_of(
            "tree", "gcc 12", replace(full_recipe, options={**full_recipe.options, "CONFIG_IPV6": "y"})
        ),
        building.identity_of("tree", "gcc 12", replace(full_recipe, substitutions=tuple(others))),
        building.identity_of(
            "tree", "gcc 12", replace(full_recipe, substitutions=(replace(first, replace="other"), *others))
        ),
        building.identity_of("tree", "gcc 12", replace(full_recipe, versions=full_recipe.versions[1:])),
        building.identity_of("tree", "gcc 12", replace(full_recipe, earlier=())),
    ]
    every = variants()
    some = dict(list(every.items())[1:])
    monkeypatch.setattr("dumbbell.kernel.recipe.variants", lambda: MappingProxyType(some))
    changed.append(building.identity_of("tree", "gcc 12"))
    assert len(set(changed)) == len(changed) == 9
    buildable = {name: variant for name, variant in every.items() if variant.linux}
    assert len(buildable) < len(every)
    for same in (every, buildable):
        monkeypatch.setattr("dumbbell.kernel.recipe.variants", lambda same=same: same)
        assert building.identity_of("tree", "gcc 12") == changed[0], "what no kernel has makes no other kernel"
    reworded = replace(full_recipe, substitutions=(replace(first, why="in other words"), *others))
    assert building.identity_of("tree", "gcc 12", reworded) == changed[0]


def test_a_tree_is_what_a_build_reads_of_it(make_tree: MakeTree) -> None:
    tree = make_tree()
    identity = source_of(tree).identity()
    (tree / "net/ipv4/tcp_bbr.o").write_text("built")
    (tree / ".git").mkdir()
    (tree / ".git/index").write_text("a commit")
    assert source_of(tree).identity() == identity
    (tree / "net/ipv4/tcp_new.c").write_text("a new one")
    assert source_of(tree).identity() != identity


def test_of_a_users_tree_a_variant_that_does_not_fit_is_left_out(make_tree: MakeTree) -> None:
    tree = make_tree()
    variant = variants()["bbr_shallow"]
    file = tree / variant.linux[0]["file"]
    file.write_text(file.read_text().replace(variant.linux[0]["match"], "something else"))
    built = kernel.build(tree)
    assert "bbr_shallow" not in built.controls
    assert "does not occur" in built.left_out["bbr_shallow"]
    assert "bbr_4_17" in built.controls


def test_the_recipe_has_to_fit_every_tree(make_tree: MakeTree) -> None:
    tree = make_tree()
    (tree / "arch/um/Kconfig").write_text("another")
    with pytest.raises(SubstitutionError, match=r'arch/um/Kconfig: "config HZ int default 100" does not occur'):
        kernel.build(tree)
    assert kernel.kernels() == []


def test_an_option_that_is_refused(make_tree: MakeTree) -> None:
    tree = make_tree()
    makefile = tree / "Makefile"
    text = makefile.read_text()
    makefile.write_text(text.replace("cp $(KCONFIG_ALLCONFIG)", "grep -v CONFIG_DUMMY $(KCONFIG_ALLCONFIG) >"))
    assert "no such option" in kernel.build(tree).left_out["CONFIG_DUMMY"]
    makefile.write_text(text.replace("cp $(KCONFIG_ALLCONFIG)", "grep -v CONFIG_VETH $(KCONFIG_ALLCONFIG) >"))
    with pytest.raises(KernelError, match="does not take the configuration: CONFIG_VETH"):
        kernel.build(tree)


@pytest.mark.parametrize(
    ("refused", "useless"), [("CONFIG_PROC_SYSCTL", False), ("CONFIG_SYSCTL", False), ("_SYSCTL", True)]
)
def test_of_two_names_of_an_indispensable_option_one_is_enough(
    make_tree: MakeTree,
    refused: str,
    useless: bool,  # noqa: FBT001 (a known answer)
) -> None:
    tree = make_tree()
    makefile = tree / "Makefile"
    taken = f"grep -v {refused}= $(KCONFIG_ALLCONFIG) >"
    makefile.write_text(makefile.read_text().replace("cp $(KCONFIG_ALLCONFIG)", taken))
    if useless:
        with pytest.raises(KernelError, match="configuration: CONFIG_PROC_SYSCTL, CONFIG_SYSCTL"):
            kernel.build(tree)
    else:
        assert list(kernel.build(tree).left_out) == [refused]


@pytest.mark.parametrize("refused", ["PROC_SYSCTL", "DUMMY"])
def test_of_debians_sources_the_recipe_knows_what_each_lacks(
    make_tree: MakeTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    tree, tarball = make_tree(), tmp_path / "linux.tar"
    makefile = tree / "Makefile"
    taken = f"grep -v CONFIG_{refused}= $(KCONFIG_ALLCONFIG) >"
    makefile.write_text(makefile.read_text().replace("cp $(KCONFIG_ALLCONFIG)", taken))
    with tarfile.open(tarball, "w") as opened:
        opened.add(tree, "tree")
    package = replace(recipe().sources["7.3"], file=tarball, archive=None)
    with_it = replace(recipe(), sources={"7.3": package})
    for module in ("source", "building"):
        monkeypatch.setattr(f"dumbbell.kernel.{module}.recipe", lambda: with_it)
    if refused in "".join(package.absent):
        assert kernel.build("7.3").left_out == {}
    else:
        with pytest.raises(KernelError, match="does not take the configuration: CONFIG_DUMMY"):
            kernel.build("7.3")


def test_what_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match=r'"6.2" is no source of Linux: neither one of 6.1, 6.12, 7.3, nor a folder'):
        kernel.build("6.2")
    with pytest.raises(KernelError, match="is no source of Linux: it has no Makefile"):
        kernel.build(tmp_path)
    (tmp_path / "text").write_text("no tarball")
    with pytest.raises(KernelError, match="is no tarball that can be read"):
        kernel.build(tmp_path / "text")
    assert kernel.kernels() == []


def test_a_name_that_no_kernel_can_have(make_tree: MakeTree) -> None:
    tree = make_tree()
    for name in ("", "all", "a/b", "..", "a@b", ".hidden", "a b"):
        with pytest.raises(KernelError, match="is no name for a kernel"):
            kernel.build(tree, name=name)


def test_a_shelf_that_cannot_be_written_is_named(
    make_tree: MakeTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DUMBBELL_DATA", str(tmp_path / "file"))
    with pytest.raises(BuildFailure, match="file/kernels: Not a directory"):
        kernel.build(make_tree())


def test_too_full_a_disk_is_told_before(make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**6))
    with pytest.raises(BuildFailure, match=r"a build needs .* GB"):
        kernel.build(make_tree())


def test_nothing_is_there_at_first() -> None:
    assert kernel.kernels() == []
    with pytest.raises(KernelError) as error:
        kernel.find()
    assert str(error.value) == 'no kernel "6.1" here: `dumbbell kernel build` makes it (about 3 minutes)'
    with pytest.raises(KernelError, match='no kernel "x" here'):
        kernel.remove("x")


def test_all_that_is_missing_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in ("gcc", "make", "tar"):
        (programs / tool).symlink_to(os.path.realpath(f"/usr/bin/{tool}"))
    monkeypatch.setenv("PATH", str(programs))
    absent = replace(recipe().sources["6.1"], file=tmp_path / "linux-source.tar.xz")
    with pytest.raises(BuildFailure) as failure:
        toolchain.require(absent)
    message, command = str(failure.value).splitlines()
    for what in ("bc", "bison", "flex", "xz", "ld", "strip", "linux-source.tar.xz"):
        assert what in message
    assert command.split() == ["apt-get", "install", "bc", "binutils", "bison", "flex", "linux-source-6.1", "xz-utils"]


def test_nothing_is_missing_where_everything_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in recipe().tools:
        (programs / tool).write_text("#!/bin/sh\necho version 1\n")
        (programs / tool).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    toolchain.require(None)
    assert toolchain.compiler() == "version 1, version 1"
