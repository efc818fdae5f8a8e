"""The invariants of the design that can be read from the sources. Each check first asserts that it saw some."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from commandline import ROOT

CRATES = ROOT / "crates"
PACKAGE = ROOT / "python" / "dumbbell"
DEV = ROOT / "dev"

MAY_USE_CRATE = {
    "units": set[str](),
    "run": {"units"},
    "cc": {"units"},
    "sim": {"units", "run", "cc"},
    "spec": {"run", "cc"},
    "agent": {"units", "run", "pcap"},
    "pcap": {"run"},
    "identity": set[str](),
    "py": {"units", "run", "cc", "sim", "spec", "identity", "pcap"},
    "web": {"run", "sim", "spec", "identity"},
}
# Beyond what it uses: what a crate is measured with.
MAY_TEST_WITH_CRATE = {"pcap": {"sim"}}
KNOWS_PYTHON = {"py"}
PYTHON = re.compile(r"pyo3|numpy|python")

MAY_USE_PACKAGE = {
    "units": set[str](),
    "errors": set[str](),
    "problem": {"errors", "_core"},
    "text_file": set[str](),
    "spreadsheet": set[str](),
    "replacement": set[str](),
    "user_folder": set[str](),
    "version": {"_core"},
    "cc": {"problem", "_core"},
    "spec": {"errors", "cc", "_core"},
    "kernel": {"errors", "user_folder", "cc", "spec"},
    "engines": {
        "errors",
        "replacement",
        "user_folder",
        "cc",
        "spec",
        "kernel",
        "captures",
        "metrics.number",
        "_core",
    },
    "metrics": {"spec", "engines.measurement"},
    "results": {"errors", "replacement", "spreadsheet", "spec", "engines.measurement", "engines.family", "metrics"},
    "campaign": {"errors", "replacement", "user_folder", "spec", "engines", "metrics", "results"},
    "captures": {"errors", "spec", "metrics", "results", "tables", "charts", "_core"},
    "tables": {"spreadsheet", "spec", "metrics"},
    "traces": {"spec"},
    "charts": {"errors", "cc", "kernel", "metrics", "results", "tables"},
    "studies": {
        "errors",
        "cc",
        "spec",
        "engines",
        "metrics",
        "results",
        "campaign",
        "captures",
        "charts",
        "experiment",
        "hosts",
        "advice",
        "tables",
    },
    "comparison": {
        "errors",
        "cc",
        "spec",
        "engines",
        "metrics",
        "results",
        "campaign",
        "charts",
        "tables",
    },
    "experiment": {"errors", "cc", "spec", "engines", "metrics", "results", "campaign", "charts", "tables"},
    "hosts": {
        "errors",
        "cc",
        "spec",
        "engines",
        "metrics",
        "results",
        "campaign",
        "charts",
        "experiment",
        "comparison",
        "tables",
    },
    "advice": {
        "errors",
        "user_folder",
        "cc",
        "spec",
        "engines",
        "metrics",
        "results",
        "campaign",
        "charts",
        "comparison",
        "hosts",
        "tables",
    },
    "suites": {
        "errors",
        "cc",
        "problem",
        "text_file",
        "spec",
        "engines",
        "metrics",
        "results",
        "campaign",
        "experiment",
        "tables",
    },
    "report": {
        "version",
        "errors",
        "replacement",
        "user_folder",
        "cc",
        "spec",
        "metrics",
        "results",
        "charts",
        "experiment",
        "studies",
        "suites",
        "comparison",
        "hosts",
        "captures",
        "advice",
        "tables",
    },
    "explorer": {
        "errors",
        "version",
        "cc",
        "problem",
        "spec",
        "metrics",
        "charts",
        "experiment",
        "report",
        "engines",
        "comparison",
        "user_folder",
    },
    "cli": {
        "version",
        "errors",
        "spreadsheet",
        "user_folder",
        "cc",
        "spec",
        "kernel",
        "engines",
        "metrics",
        "results",
        "campaign",
        "charts",
        "studies",
        "suites",
        "experiment",
        "comparison",
        "hosts",
        "captures",
        "advice",
        "report",
        "explorer",
        "tables",
        "traces",
    },
    "__init__": {"version", "errors", "spec", "results", "experiment"},
    "__main__": {"cli"},
}
MAY_USE_CORE = {
    "engines/sim.py", "engines/outcome.py", "cc.py", "problem.py", "engines/measurement.py", "version.py",
    "spec/experiment.py", "spec/keys.py", "spec/link.py", "spec/numbers.py", "spec/quantity.py", "spec/resolved.py",
    "spec/source.py",
    "captures/analysis.py", "captures/pair.py", "engines/capture_files.py", "engines/capture.py",
}  # fmt: skip
"""The simulator's adapter, the registry's, those of the spec and its problems, the reader of an agent's
measurement, and that of captures; three name it for its types and its version only."""
MAY_START_PROCESSES = {"engines", "kernel"}
STARTS_PROCESSES = {"subprocess", "multiprocessing", "pty"}

FORBIDDEN_NAMES = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc"}


def manifests() -> dict[str, dict[str, object]]:
    parsed = {path.parent.name: tomllib.loads(path.read_text(encoding="utf-8")) for path in CRATES.glob("*/Cargo.toml")}
    assert {"units", "run", "cc", "sim", "py"} <= set(parsed)
    return parsed


def modules(folder: Path = PACKAGE) -> list[Path]:
    paths = sorted(folder.rglob("*.py"))
    assert len(paths) > 20
    return paths


def home(path: Path) -> str:
    """The package, or the module beside them, that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> frozenset[str]:
    """Full names of the modules that a file imports, wherever in it; a module taken from a package: the package too."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            module = str(node.module)
            yield module
            for alias in node.names:
                inner = (ROOT if module.startswith("dev") else PACKAGE.parent).joinpath(*module.split("."), alias.name)
                if inner.is_dir() or inner.with_suffix(".py").is_file() or alias.name == "_core":
                    yield f"{module}.{alias.name}"


def module_name(path: Path) -> str:
    """The full name of a file's module; that of a package is its `__init__`."""
    home = ROOT if path.is_relative_to(DEV) else PACKAGE.parent
    return ".".join(path.relative_to(home).with_suffix("").parts).removesuffix(".__init__")


def own(name: str) -> str | None:
    """The part of a name below `dumbbell`; None of what is not ours."""
    if name == "dumbbell":
        return "__init__"
    return name.removeprefix("dumbbell.") if name.startswith("dumbbell.") else None


def test_crates_depend_only_downwards() -> None:
    for crate, manifest in manifests().items():
        used: set[str] = set()
        for table in ("dependencies", "dev-dependencies", "build-dependencies"):
            dependencies = manifest.get(table, {})
            assert isinstance(dependencies, dict)
            tested_with = MAY_TEST_WITH_CRATE.get(crate, set()) if table == "dev-dependencies" else set()
            used |= set(dependencies) - tested_with
        assert used & set(MAY_USE_CRATE) <= MAY_USE_CRATE[crate], crate
        if crate not in KNOWS_PYTHON:
            assert not [name for name in used if PYTHON.search(name)], crate


def test_python_packages_depend_only_downwards() -> None:
    seen = 0
    for path in modules():
        package = home(path)
        for name in filter(None, map(own, imports(path))):
            seen += 1
            allowed = MAY_USE_PACKAGE[package] | {package, "units", "problem", "text_file"}
            assert any(name == each or name.startswith(f"{each}.") for each in allowed), f"{path} imports {name}"
    assert seen > 50


def test_the_package_does_without_the_proof() -> None:
    assert any(name.startswith("dumbbell.") for path in modules(DEV) for name in imports(path))
    for path in modules():
        assert not [name for name in imports(path) if name.partition(".")[0] == DEV.name], path


def test_imports_have_no_cycle_types_included() -> None:
    graph = {module_name(path): imports(path) - {module_name(path)} for path in (*modules(), *modules(DEV))}
    assert sum(name in graph for names in graph.values() for name in names) > 500
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_every_module_can_be_imported() -> None:
    """A type that only a checker sees is not there for a module that imports it like all else."""
    for path in (*modules(), *modules(DEV)):
        if path.stem != "__main__":
            import_module(module_name(path))


def test_few_call_the_extension() -> None:
    users = {path.relative_to(PACKAGE).as_posix() for path in modules() if "dumbbell._core" in imports(path)}
    assert "engines/sim.py" in users
    assert users <= MAY_USE_CORE


def test_only_engines_start_processes_and_never_a_shell() -> None:
    for path in modules():
        if home(path) not in MAY_START_PROCESSES:
            assert not STARTS_PROCESSES & imports(path), path
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"shell\s*=\s*True|os\.system|os\.popen", text), path


def test_no_variant_is_known_to_the_model() -> None:
    variants = set(tomllib.loads((ROOT / "crates/spec/src/variants.toml").read_text(encoding="utf-8")))
    sources = [path for path in ROOT.glob("crates/**/*.rs") if not {"target", "spec"} & set(path.parts)]
    assert len(variants) >= 5
    assert len(sources) > 20
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, variants)) + r")\b")
    for path in sources:
        assert not pattern.search(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("top", ["crates", "python", "dev", "tests", "examples", "bench", "docs"])
def test_a_file_is_named_by_its_noun(top: str) -> None:
    files = [path for path in (ROOT / top).rglob("*") if "target" not in path.parts and "__pycache__" not in path.parts]
    assert files
    named_badly = [path for path in files if path.stem.removeprefix("test_") in FORBIDDEN_NAMES]
    assert named_badly == []
