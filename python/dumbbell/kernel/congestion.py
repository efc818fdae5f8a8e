"""Congestion controls of a tree: which it has, and the variants that become extra ones."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from dumbbell.cc import Variant
from dumbbell.errors import SubstitutionError
from dumbbell.kernel.recipe import Substitution, text_of

FOLDER = "net/ipv4"
LONGEST_NAME = 15
"""Characters of a congestion control's name in Linux."""
_OPTION = re.compile(r"^config (TCP_CONG_\w+)$", re.MULTILINE)
_NO_CONTROL = {"TCP_CONG_ADVANCED"}
_STRUCT = re.compile(r"^(?:static )?struct tcp_congestion_ops (\w+)[^;={]*=\s*\{(.*?)^\};", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"\.name\s*=\s*\"([^\"]+)\"")
_REGISTERED = re.compile(r"tcp_register_congestion_control\(&(\w+)\)")


def options(kconfig: str) -> list[str]:
    """The options of all congestion controls that a tree has."""
    return [f"CONFIG_{name}" for name in sorted(set(_OPTION.findall(kconfig)) - _NO_CONTROL)]


def registered(texts: Iterable[str]) -> list[str]:
    """The names that these sources register with the kernel, sorted.

    Copies of a file have structs of one name: a struct is looked for in the file that registers it, then in the others.
    """
    names: set[str] = set()
    shared: dict[str, str] = {}
    elsewhere: set[str] = set()
    for text in texts:
        own = {struct: name[1] for struct, body in _STRUCT.findall(text) if (name := _NAME.search(body))}
        used = set(_REGISTERED.findall(text))
        names |= {own[struct] for struct in used & set(own)}
        elsewhere |= used - set(own)
        shared |= own
    return sorted(names | {shared[struct] for struct in elsewhere & set(shared)})


def compiled(tree: Path) -> list[str]:
    """The names that a tree's kernel registers, after a build: those of the sources that were compiled."""
    sources = (tree / FOLDER).glob("*.c")
    return registered(
        path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(sources)
        if path.with_suffix(".o").is_file()
    )


def short_name(name: str) -> str:
    """A variant's name in Linux: its own where it fits, else its beginning and a hash."""
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 5]}_{hashlib.sha256(name.encode()).hexdigest()[:4]}"


def add_variants(tree: Path, variants: Iterable[Variant], *, strict: bool) -> dict[str, str]:
    """Adds to a tree a copy of a congestion control for each variant of one; gives those that it cannot have, and why.

    Raises `SubstitutionError` for the first of them when `strict`.
    """
    copies: dict[str, str] = {}
    left_out: dict[str, str] = {}
    present = set(registered(path.read_text(errors="replace") for path in (tree / FOLDER).glob("tcp*.c")))
    for variant in (each for each in variants if each.linux):
        try:
            present.add(_new_name(variant, present))
            copies[f"tcp_dumbbell_{variant.name}"] = variant_source(tree, variant)
        except SubstitutionError as error:
            if strict:
                raise
            left_out[variant.name] = str(error)
    for stem, text in copies.items():
        (tree / FOLDER / f"{stem}.c").write_text(text, encoding="utf-8")
    with (tree / FOLDER / "Makefile").open("a", encoding="utf-8") as makefile:
        makefile.writelines(f"\nobj-y += {stem}.o\n" for stem in copies)
    return left_out


def _new_name(variant: Variant, present: set[str]) -> str:
    name = short_name(variant.name)
    if name in present:
        raise SubstitutionError(f'variant {variant.name}: there is a congestion control "{name}" already')
    return name


def substitutions_of(variant: Variant) -> list[Substitution]:
    """What makes a variant of its algorithm."""
    return [Substitution(**each, why=f"variant {variant.name}") for each in variant.linux]


def variant_source(tree: Path, variant: Variant, substitutions: Iterable[Substitution] | None = None) -> str:
    """The source of a variant: its algorithm's, with its substitutions, or these, and a name of its own."""
    changes = substitutions_of(variant) if substitutions is None else list(substitutions)
    files = {each.file for each in changes}
    if len(files) != 1:
        raise SubstitutionError(f"variant {variant.name}: its substitutions are of {len(files)} files, not of one")
    (file,) = files
    text = text_of(tree, file)
    for each in changes:
        text = each.applied(text)
    names = _NAME.findall(text)
    if names != [variant.base]:
        raise SubstitutionError(f'{file}: it registers {names}, not "{variant.base}" (variant {variant.name})')
    return _NAME.sub(lambda match: match[0].replace(f'"{variant.base}"', f'"{short_name(variant.name)}"'), text)


def controls(names: Iterable[str], variants: Mapping[str, Variant]) -> dict[str, str]:
    """The name that each congestion control has in an experiment -> its name in the kernel."""
    long_names = {short_name(name): name for name in variants}
    return {long_names.get(name, name): name for name in sorted(names)}
