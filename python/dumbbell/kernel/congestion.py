"""Congestion controls of a tree: which it has, and the variants that become extra ones."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from dumbbell.cc import Variant
from dumbbell.errors import SubstitutionError
from dumbbell.kernel.recipe import Substitution, Version, recipe, substitute, text_of

FOLDER = "net/ipv4"
EARLIER = "tcp_bbr1"
"""The source of version 1 of BBR in a tree whose `tcp_bbr` is a later one."""
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
    """The sources that were compiled for a tree's kernel, after a build, among them all of its congestion controls."""
    sources = (tree / FOLDER).glob("*.c")
    return [
        path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(sources)
        if path.with_suffix(".o").is_file()
    ]


def version_in(text: str) -> Version | None:
    """The version of an algorithm that a source is, where it is one of those that the recipe knows."""
    return next((each for each in recipe().versions if re.search(each.text, text)), None)


def versions(texts: Iterable[str]) -> dict[str, int]:
    """Of the names that these sources register, the version of those of which there are several; 0: another one."""
    numbers: dict[str, int] = {}
    names = {name for each in recipe().versions for name in (each.control, each.shared)}
    for text in texts:
        known = version_in(text)
        numbers |= dict.fromkeys(names & set(registered([text])), known.number if known else 0)
    return numbers


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


def add_earlier(tree: Path, release: str) -> dict[str, str]:
    """Adds version 1 of BBR to a tree of version 3 that has its file too; gives why not, where it does not fit.

    Google's tree, which has both, calls the file so, and compiles it without help.
    """
    makefile, file = tree / FOLDER / "Makefile", tree / FOLDER / f"{EARLIER}.c"
    if not file.is_file() or f"{EARLIER}.o" in makefile.read_text(encoding="utf-8"):
        return {}
    own = version_in(text_of(tree, f"{FOLDER}/tcp_bbr.c"))
    if own is None or own.number == 1:
        return {EARLIER: f"{FOLDER}/tcp_bbr.c: its bbr is no later version than that of {file.name}"}
    try:
        substitute(tree, recipe().earlier, release)
    except SubstitutionError as error:
        return {EARLIER: str(error)}
    with makefile.open("a", encoding="utf-8") as opened:
        opened.write(f"\nobj-y += {EARLIER}.o\n")
    return {}


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
    wanted = next((each for each in recipe().versions if each.name == variant.base), None)
    if wanted is not None:
        _refuse_other_version(file, text, variant, wanted)
    for each in changes:
        text = each.applied(text)
    names = _NAME.findall(text)
    control = wanted.control if wanted else variant.base
    if names != [control]:
        raise SubstitutionError(f'{file}: it registers {names}, not "{control}" (variant {variant.name})')
    return _NAME.sub(lambda match: match[0].replace(f'"{control}"', f'"{short_name(variant.name)}"'), text)


def _refuse_other_version(file: str, text: str, variant: Variant, wanted: Version) -> None:
    """Raises `SubstitutionError` where a source is not of the version of which a variant is one."""
    known = version_in(text)
    if known != wanted:
        number = f"version {known.number}" if known else "no version that is known"
        raise SubstitutionError(
            f"{file}: its {wanted.control} is {number}, and {variant.name} is a variant of version {wanted.number}"
        )


def controls(
    names: Iterable[str], variants: Mapping[str, Variant], numbers: Mapping[str, int] | None = None
) -> dict[str, str]:
    """The name that each congestion control has in an experiment -> its name in the kernel.

    `numbers`: what is known of the versions of those that have several, by their names in the kernel.
    """
    numbers = numbers or {}
    long_names = {short_name(name): name for name in variants}
    known = {
        name: each.name
        for each in recipe().versions
        for name in (each.control, each.shared)
        if numbers.get(name) == each.number
    }
    return {known.get(name, long_names.get(name, name)): name for name in sorted(names)}
