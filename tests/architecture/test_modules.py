"""Within a crate, modules use one another in one direction only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from commandline import ROOT

Name = tuple[str, ...]
"""A module's path below its crate, `()` for the crate's own; or an item's."""

USE = re.compile(r"^([ \t]*)(?:pub(?:\([\w ]+\))? )?use ([^;]+);", re.MULTILINE)
PATH = re.compile(r"\b(?:crate|super)(?:::\w+)+")
TESTS = re.compile(r"#\[cfg\(test\)\]\n(?:mod (\w+);|mod \w+ \{.*\Z)", re.DOTALL)


def leaves(tree: str) -> Iterator[tuple[Name, str]]:
    """Each path of a `use`, and the name that it gets: `a::{b, c::d as e}` is `a::b` and `a::c::d` called `e`."""
    stem, braces, inner = tree.partition("{")
    if not braces:
        path, _, alias = (part.strip() for part in tree.partition(" as "))
        names = tuple(name.strip() for name in path.split("::"))
        names = names[:-1] if names[-1] == "self" else names
        yield names, alias or names[-1]
        return
    depth, part = 0, ""
    for character in inner.rstrip().removesuffix("}") + ",":
        depth += (character == "{") - (character == "}")
        if character != "," or depth:
            part += character
        elif part.strip():
            yield from leaves(stem.strip() + part.strip())
            part = ""


class Crate:
    """The modules of a crate, tests apart: what each uses, and its names for that, which its parts may use too."""

    def __init__(self, folder: Path) -> None:
        sources = {
            tuple(
                name for name in path.relative_to(folder).with_suffix("").parts if name not in {"mod", "lib", "main"}
            ): (path.read_text(encoding="utf-8"))
            for path in (folder).rglob("*.rs")
        }
        tests = {(*name, test[1]) for name, text in sources.items() for test in TESTS.finditer(text) if test[1]}
        self.uses: dict[Name, set[Name]] = {}
        self.names: dict[Name, dict[str, Name]] = {}
        for name, text in sources.items():
            if not any(name[: len(test)] == test for test in tests):
                self.read(name, TESTS.sub("", re.sub(r"//[^\n]*", "", text)))

    def read(self, name: Name, text: str) -> None:
        # What is indented is of a module within the file, whose `super` is the file's.
        named = [leaf for indented, tree in USE.findall(text) if not indented for leaf in leaves(tree)]
        inline = {tuple(path.split("::")) for path in PATH.findall(USE.sub("", text))}
        self.names[name] = {alias: path for path, alias in named}
        self.uses[name] = inline | {path for path, _ in named}

    def home(self, module: Name, path: Name) -> Name | None:
        """The module in which the item lies that a module calls so; None: in no module of this crate."""
        match path:
            case ("crate", *rest):
                return self.follow((), rest)
            case ("self", *rest):
                return self.follow(module, rest)
            case ("super", "super", *rest):
                return self.home(module[:-1], ("super", *rest))
            case ("super", *rest):
                return self.follow(module[:-1], rest)
        return self.follow(module, list(path)) if (*module, path[0]) in self.uses else None

    def follow(self, module: Name, names: list[str]) -> Name:
        for index, name in enumerate(names):
            if (*module, name) in self.uses:
                module = (*module, name)
            elif alias := self.names[module].get(name):
                return self.home(module, (*alias, *names[index + 1 :])) or module
            else:
                break
        return module

    def graph(self) -> dict[str, set[str]]:
        """What uses what, by names. That a module is made of parts of its own is no use of them."""
        graph: dict[str, set[str]] = {}
        for module, paths in self.uses.items():
            homes = {home for path in paths if (home := self.home(module, path)) is not None}
            others = {home for home in homes if home[: len(module)] != module}
            graph["::".join(("crate", *module))] = {"::".join(("crate", *home)) for home in others}
        return graph


def test_modules_of_a_crate_have_no_cycle() -> None:
    graphs = {folder.parent.name: Crate(folder).graph() for folder in ROOT.glob("crates/*/src")}
    assert sum(len(used) for graph in graphs.values() for used in graph.values()) > 100
    for crate, graph in graphs.items():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            pytest.fail(f"{crate}: " + " uses ".join(reversed(error.args[1])))


def test_a_cycle_is_found_through_what_a_module_exports(tmp_path: Path) -> None:
    (tmp_path / "lib.rs").write_text("mod upper;\nmod lower;\npub use upper::{Peak, self as top};\n", encoding="utf-8")
    (tmp_path / "upper.rs").write_text("use super::lower::Base;\npub struct Peak(Base);\n", encoding="utf-8")
    (tmp_path / "lower.rs").write_text("use crate::{Peak as _, Other};\npub struct Base;\n", encoding="utf-8")
    assert Crate(tmp_path).graph() == {
        "crate": set(),
        "crate::upper": {"crate::lower"},
        "crate::lower": {"crate", "crate::upper"},
    }
