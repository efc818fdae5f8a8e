"""The name of a run: a hash of what decides its result."""

from __future__ import annotations

import hashlib
from typing import Final

RUN_ID_DIGITS: Final = 16


def run_id(request: bytes, engine: str, identity: str) -> str:
    """Names a run by everything that decides its result.

    `request` is the resolved run, seed included, and what only its summary has, as `campaign.plan.run_key` writes them.
    """
    parts = (request, engine.encode(), identity.encode())
    return hashlib.sha256(b"\n".join(parts)).hexdigest()[:RUN_ID_DIGITS]
