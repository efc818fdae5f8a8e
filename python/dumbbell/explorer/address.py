"""The address of an experiment on the page: `1.VERSION.IDENTITY.PAYLOAD`, which stands behind `#`.

Twin of `explorer/src/address.js`, and a test holds both to one another. The payload is what the page needs to show an
experiment, `{"toml": …, "view": …}`, as JSON that gzip packs, whose checksum tells damage.
"""

from __future__ import annotations

import gzip
import json
import zlib
from base64 import b64decode, urlsafe_b64encode
from typing import Any, Final, NamedTuple

from dumbbell.errors import DumbbellError

FORM: Final = "1"
DIGITS: Final = 8
"""Of an identity: enough to tell builds apart."""
_FEWEST_PARTS: Final = 4


class LinkError(DumbbellError):
    """A link that cannot be read."""


class Decoded(NamedTuple):
    """What an address holds."""

    content: Any
    version: str
    is_other: bool
    """Another build has made it."""


def encoded(content: object, *, version: str, identity: str) -> str:
    """The address of some content: the same text for the same content, whenever it is made."""
    packed = gzip.compress(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode(), mtime=0)
    return ".".join((FORM, version, identity[:DIGITS], urlsafe_b64encode(packed).decode().rstrip("=")))


def decoded(address: str, *, version: str, identity: str) -> Decoded:
    """What an address holds; `version` and `identity` are those of whoever reads it.

    Raises:
        LinkError: it is none, or damaged.
    """
    # A version has dots of its own: what is behind the last two is identity and payload.
    form, *middle = address.split(".")
    if form != FORM or len(middle) < _FEWEST_PARTS - 1:
        raise LinkError("this link is not one of the explorer's, or not whole")
    *numbers, made_by, payload = middle
    try:
        packed = b64decode(payload + "=" * (-len(payload) % 4), altchars=b"-_", validate=True)
        content = json.loads(gzip.decompress(packed).decode())
    except (ValueError, OSError, EOFError, zlib.error):
        raise LinkError("this link is damaged: some of its letters are missing or changed") from None
    made_with = ".".join(numbers)
    return Decoded(content, made_with, (made_with, made_by) != (version, identity[:DIGITS]))
