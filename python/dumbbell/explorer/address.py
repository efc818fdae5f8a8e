"""The address of an experiment on the page: `1.VERSION.IDENTITY.PAYLOAD`, which stands behind `#`.

Twin of `explorer/src/address.js`, and a test holds both to one another. The payload is what the page needs to show an
experiment, `{"toml": …, "view": …}`, as JSON that gzip packs, whose checksum tells damage.
"""

from __future__ import annotations

import gzip
import json
from base64 import urlsafe_b64encode
from typing import Final

FORM: Final = "1"
DIGITS: Final = 8
"""Of an identity: enough to tell builds apart."""


def encoded(content: object, *, version: str, identity: str) -> str:
    """The address of some content: the same text for the same content, whenever it is made."""
    packed = gzip.compress(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode(), mtime=0)
    return ".".join((FORM, version, identity[:DIGITS], urlsafe_b64encode(packed).decode().rstrip("=")))
