"""What a release says of itself in several places is the same in all of them."""

from __future__ import annotations

import re
import tomllib

from commandline import ROOT

WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def matches(pattern: str, name: str) -> set[str]:
    return set(re.findall(pattern, text(name), re.MULTILINE))


def test_the_version_and_its_date() -> None:
    version = WORKSPACE["version"]
    assert matches(r"^version: (\S+)$", "CITATION.cff") == {version}
    (date,) = matches(r'^date-released: "(\S+)"$', "CITATION.cff")
    assert f"## {version} ({date})" in text("CHANGELOG.md").splitlines()


def test_the_oldest_compiler() -> None:
    rust = WORKSPACE["rust-version"]
    assert matches(r"\]\(https://rustup\.rs\) ([\d.]+)", "README.md") == {rust}
    assert matches(r"\]\(https://rustup\.rs\) ([\d.]+)", "docs/tutorial.md") == {rust}
    assert matches(r"^FROM \S+/rust:([\d.]+)-", "Containerfile") == {rust}
    assert matches(r"--default-toolchain ([\d.]+)", "pyproject.toml") == {f"{rust}.0"}
    assert matches(r"(?:rustup default|toolchain install) ([\d.]+)", ".github/workflows/wheels.yml") == {f"{rust}.0"}


def test_the_keywords() -> None:
    keywords = tomllib.loads(text("pyproject.toml"))["project"]["keywords"]
    (cited,) = matches(r"^keywords:\n((?:  - .+\n)+)", "CITATION.cff")
    assert re.findall(r"- (.+)", cited) == keywords
