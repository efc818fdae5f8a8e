"""Rules that say who gets more on a path, and that nothing was grown for."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Says: TypeAlias = Literal["bbr", "cubic"]
SHALLOW: Final = 0.35
"""BDP: where the flip was fitted to real hosts (Linux 4.15, cells of Datta and Fund 2023) before any run of ours."""


def cao_tree(rate_bps: float, buffer_bytes: float) -> Says:
    """What the decision tree of Cao et al. 2019 says (Figure 4); where it splits by RTT, both branches say the same.

    >>> cao_tree(200_000_000, 10**6), cao_tree(10**9, 10**7), cao_tree(500_000_000, 10**5)
    ('cubic', 'bbr', 'bbr')
    """
    return {"right": "bbr", "left": "cubic", "shallow": "bbr", "deep": "cubic"}[cao_branch(rate_bps, buffer_bytes)]  # type: ignore[return-value]


def cao_branch(rate_bps: float, buffer_bytes: float) -> str:
    """The branch of that tree: `right` above 875 Mbit/s, `left` up to 375, and between them `shallow` or `deep`."""
    rate = rate_bps / 1e6
    if rate > 875:  # noqa: PLR2004 (its thresholds: midpoints of its grid)
        return "right"
    if rate <= 375:  # noqa: PLR2004
        return "left"
    return "shallow" if buffer_bytes <= 5_500_000 else "deep"  # noqa: PLR2004
