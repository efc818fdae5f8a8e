from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from builtkernel import built
from dumbbell.cc import variants
from dumbbell.kernel import building
from dumbbell.kernel.recipe import recipe

__all__ = ["built"]

MAKEFILE = """VERSION = 6
PATCHLEVEL = 1
SUBLEVEL = 999
EXTRAVERSION =

allnoconfig:
	cp $(KCONFIG_ALLCONFIG) .config

linux:
	@echo "  CC      linux"
	@{work}
	@mkdir -p include/config && echo 6.1.999 > include/config/kernel.release
	@for each in net/ipv4/*.c; do touch $${{each%.c}}.o; done
	@echo 'int main(void) {{ return 0; }}' | gcc -x c -o linux -
"""
"""Of a tree that only looks like Linux; `work` is one more command."""

VERSION_1 = "static void bbr_lt_bw_sampling(struct sock *sk, const struct rate_sample *rs)"
VERSION_3 = "#define BBR_VERSION\t\t3"
MakeTree = Callable[..., Path]


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the kernels of a test; nothing unfinished is left in it."""
    for variable, folder in (("DUMBBELL_CACHE", "cache"), ("DUMBBELL_DATA", "data")):
        monkeypatch.setenv(variable, str(tmp_path / folder))
    yield tmp_path / "data" / "kernels"
    assert list((tmp_path / "data").glob("kernels/.building-*")) == []


@pytest.fixture
def make_tree(tmp_path: Path) -> MakeTree:
    """Makes a tree that only looks like Linux: it has what substitutions and variants ask for, and compiles at once.

    `bbr` is what tells which version of it the tree has.
    """

    def make(work: str = ":", name: str = "tree", bbr: str = VERSION_1) -> Path:
        files: dict[str, str] = {
            "Makefile": MAKEFILE.format(work=work),
            "net/ipv4/Kconfig": "menuconfig TCP_CONG_ADVANCED\nconfig TCP_CONG_BBR\n\tbool\n",
            "net/ipv4/Makefile": "obj-y += tcp_bbr.o",
            "net/ipv4/notes.o": "what another build left",
        }
        for each in (*recipe().substitutions, *recipe().module):
            files[each.file] = files.get(each.file, "") + each.match + "\n"
        for variant in variants().values():
            for change in variant.linux:
                if change["match"] not in files.get(change["file"], ""):
                    files[change["file"]] = files.get(change["file"], "") + change["match"] + "\n"
        files["net/ipv4/tcp_bbr.c"] += (
            f"{bbr}\n"
            """
static struct tcp_congestion_ops ours __read_mostly = {
	.owner	= ANYBODY,
	.name	= "bbr",
};
tcp_register_congestion_control(&ours);
"""
        )
        tree = tmp_path / name
        for file, text in files.items():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text(text, encoding="utf-8")
        return tree

    return make


@pytest.fixture
def tree_3(make_tree: MakeTree) -> Path:
    """One whose BBR is version 3, and in whose file all that variants of version 1 change is, too."""
    return make_tree(bbr=VERSION_3, name="tree3")


@pytest.fixture
def tree_3_and_1(tree_3: Path) -> Path:
    """One that has the file of version 1, too, as a patch replaced it."""
    matches = [each for each in recipe().earlier if each.file != "net/ipv4/tcp_output.c"]
    own = "".join(each.match + "\n" for each in matches if ".name" not in each.match)
    (tree_3 / "net/ipv4/tcp_bbr1.c").write_text(
        f'{own}{VERSION_1}\nstatic struct tcp_congestion_ops ours __read_mostly = {{\n\t.name\t\t= "bbr",\n}};\n'
        "tcp_register_congestion_control(&ours);\n"
    )
    (tree_3 / "net/ipv4/tcp_output.c").write_text("static u32 tcp_tso_autosize(const struct sock *sk)\n")
    return tree_3


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those tools are enough that the tree of a test asks for."""
    if sys.platform != "linux":
        pytest.skip("kernels are built on Linux")
    for tool in ("gcc", "make", "strip", "tar"):
        assert shutil.which(tool), tool
    monkeypatch.setattr(building, "require", lambda _package: None)
