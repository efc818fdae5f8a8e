"""Sources that are downloaded: apt and dpkg are real, Debian's archive is a folder."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dumbbell import kernel
from dumbbell.errors import BuildFailure, KernelError
from dumbbell.kernel import debian, toolchain
from dumbbell.kernel.debian import fetch
from dumbbell.kernel.recipe import Archive, Package, recipe

MakeTree = Callable[..., Path]
MakeArchive = Callable[..., Package]

pytestmark = [
    pytest.mark.skipif(not (shutil.which("apt-get") and shutil.which("dpkg-deb")), reason="apt and dpkg are Debian's"),
    pytest.mark.usefixtures("shelf"),
]
CONTROL = """Package: {name}
Version: {version}
Architecture: all
Maintainer: nobody <nobody@example.org>
Description: what only looks like Linux
 Package: linux-source-9.9
"""
VERSION = "7.3.4-1~bpo13+1"


def quiet(_what: str, _done: int, _total: int) -> None:
    pass


def output(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout


@pytest.fixture
def archive(tmp_path: Path, make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch) -> MakeArchive:
    """Makes an archive that has one package with a tree; gives the package that a recipe has of it."""
    folder = tmp_path / "archive"
    folder.mkdir()
    monkeypatch.setattr(debian, "_LIST", f"deb [arch=amd64 trusted=yes] file:{folder} ./\n")

    def make(name: str = "linux-source-7.3", version: str = VERSION, file: str = "linux-source-7.3.tar.xz") -> Package:
        content = tmp_path / "content"
        (content / "usr/src").mkdir(parents=True)
        (content / "DEBIAN").mkdir()
        control = CONTROL.format(name=name, version=version)
        (content / "DEBIAN/control").write_text(control)
        tree = make_tree()
        with tarfile.open(content / "usr/src" / file, "w:xz") as opened:
            opened.add(tree, tree.name)
        output("dpkg-deb", "--build", content, folder / "made.deb")
        sha256 = hashlib.sha256((folder / "made.deb").read_bytes()).hexdigest()
        size = (folder / "made.deb").stat().st_size
        index = f"{control}Filename: ./made.deb\nSize: {size}\nSHA256: {sha256}\n"
        (folder / "Packages").write_text(index)
        pinned = Archive(suite="trixie-backports", version=VERSION, sha256=sha256)
        return replace(recipe().sources["7.3"], archive=pinned)

    return make


def test_a_source_is_downloaded_once_and_built(archive: MakeArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    package, seen = archive(), list[str]()
    fetch(package, lambda what, _done, _total: seen.append(what))
    assert seen == ["downloading linux-source-7.3 from Debian"]
    assert package.tarball == Path(os.environ["DUMBBELL_CACHE"]) / f"sources/linux-source-7.3_{VERSION}.tar.xz"
    assert list(package.tarball.parent.iterdir()) == [package.tarball], "nothing else stays"
    monkeypatch.setenv("PATH", "/nowhere")
    fetch(package, quiet)
    assert toolchain.missing(package) == toolchain.missing(None)


@pytest.mark.usefixtures("tools")
def test_a_build_downloads_what_it_builds(archive: MakeArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    package, seen = archive(), list[str]()
    with_it = replace(recipe(), sources={**recipe().sources, "7.3": package})
    for module in ("source", "building"):
        monkeypatch.setattr(f"dumbbell.kernel.{module}.recipe", lambda: with_it)
    built = kernel.build("7.3", progress=lambda what, _done, _total: seen.append(what))
    assert seen[0] == "downloading linux-source-7.3 from Debian"
    assert (built.name, built.source) == ("7.3", str(package.tarball))


@pytest.mark.parametrize(
    ("name", "version", "available"),
    [
        ("linux-source-7.3", "7.3.9-1~bpo13+1", "linux-source-7.3 7.3.9-1~bpo13+1"),
        ("linux-source-7.4", "7.4.2-1~bpo13+1", "linux-source-7.4 7.4.2-1~bpo13+1"),
        ("another", "1", "no linux-source-VERSION"),
    ],
)
def test_a_version_that_is_gone_is_one_message_with_what_debian_has_now(
    archive: MakeArchive, name: str, version: str, available: str
) -> None:
    package = archive(name, version)
    with pytest.raises(BuildFailure) as failure:
        fetch(package, quiet)
    assert str(failure.value) == (
        f"Debian's trixie-backports no longer has linux-source-7.3 {VERSION}; it has {available} now; "
        "`dumbbell kernel build --source TREE --name 7.3` builds a tree that you have"
    )
    assert list(package.tarball.parent.iterdir()) == []


def test_another_file_than_the_recipes_is_refused(archive: MakeArchive) -> None:
    package = archive()
    other = replace(package, archive=Archive(suite="trixie-backports", version=VERSION, sha256="0" * 64))
    with pytest.raises(
        BuildFailure, match=r"is not the file that the recipe names: its SHA-256 is [0-9a-f]{64}, not 0"
    ):
        fetch(other, quiet)
    assert list(package.tarball.parent.iterdir()) == []


def test_a_package_without_the_tarball_is_refused(archive: MakeArchive) -> None:
    with pytest.raises(BuildFailure, match=r"of Debian has no /usr/src/linux-source-7.3.tar.xz"):
        fetch(archive(file="other.tar.xz"), quiet)


def test_a_file_that_the_index_does_not_describe_is_refused(archive: MakeArchive, tmp_path: Path) -> None:
    package = archive()
    with (tmp_path / "archive/made.deb").open("r+b") as file:
        file.write(b"damage")
    with pytest.raises(BuildFailure, match=r"linux-source-7.3 cannot be had from Debian: apt-get: E: "):
        fetch(package, quiet)


def test_an_archive_that_cannot_be_read_is_one_message(archive: MakeArchive, tmp_path: Path) -> None:
    package = archive()
    shutil.rmtree(tmp_path / "archive")
    with pytest.raises(BuildFailure, match=r"cannot be had from Debian: apt-get: E: .* --source TREE") as failure:
        fetch(package, quiet)
    assert "\n" not in str(failure.value)


def test_an_unsigned_archive_is_refused(archive: MakeArchive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = archive()
    folder = tmp_path / "archive"
    line = f"deb [arch=amd64 signed-by={recipe().keyring}] file:{folder} ./\n"
    monkeypatch.setattr(debian, "_LIST", line)
    with pytest.raises(BuildFailure, match="cannot be had from Debian: apt-get: E: "):
        fetch(package, quiet)


def test_its_apt_reads_debians_archive_with_debians_keys_and_nothing_of_this_machines(tmp_path: Path) -> None:
    pinned = recipe().sources["7.3"].archive
    assert pinned is not None
    option = debian._settings(tmp_path, pinned)
    assert (tmp_path / "sources.list").read_text() == (
        "deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
        "http://deb.debian.org/debian trixie-backports main\n"
    )
    dump = output("apt-config", option, "dump")
    for line in (f'Dir::State::lists "{tmp_path}/lists";', 'Dir::Etc::sourceparts "/dev/null";'):
        assert line in dump.splitlines()
    assert not [line for line in dump.splitlines() if re.match("APT::Update::P.*::", line)], "the machine's hooks"


def test_what_downloads_is_required_only_where_the_source_is_not_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = recipe().sources["7.3"]
    no_keys = replace(recipe(), keyring=tmp_path / "keyring.gpg")
    monkeypatch.setattr(toolchain, "recipe", lambda: no_keys)
    assert (str(no_keys.keyring), "debian-archive-keyring") in toolchain.missing(package)
    assert "linux-source-7.3" not in toolchain.packages(package)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert {"apt", "dpkg", "debian-archive-keyring"} <= set(toolchain.packages(package))
    package.tarball.parent.mkdir(parents=True)
    package.tarball.touch()
    assert not {"apt", "dpkg", "debian-archive-keyring"} & set(toolchain.packages(package))


def test_the_name_of_a_source_that_is_not_here_is_known() -> None:
    with pytest.raises(KernelError, match=r"`dumbbell kernel build 7.3` makes it"):
        kernel.find("7.3")
