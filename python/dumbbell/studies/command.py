"""The command that carries out a study, or what is missing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from dumbbell.studies.study import Study


def run_command(  # noqa: PLR0913 (each is an option)
    study: Study,
    engine: str,
    experiments: Collection[str] = (),
    variants: Collection[str] = (),
    *,
    claims: Collection[str] = (),
    out: str = "",
) -> str:
    """With these claims, experiments and versions, in the study's order, and its seeds where they are not its own.

    `out`: the folder, where it is not the usual one.
    """
    on = "" if engine == "sim" else f" --engine {engine}"
    some = ",".join(title for title in study.experiments if title in experiments)
    versions = ",".join(variant for variant in study.variants if variant in variants)
    options = (
        (" --claims ", ",".join(claims)), (" --experiments ", some), (" --variants ", versions),
        (" --seeds ", study.seeds or ""), (" --out ", out),
    )  # fmt: skip
    return f"dumbbell study run {study.name}{on}" + "".join(f"{option}{value}" for option, value in options if value)
