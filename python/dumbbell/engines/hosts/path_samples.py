"""What two agents say of the path between them: `crates/agent/src/path`. Lists have a length, numbers a range."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
_Port = Annotated[int, Meta(ge=1, le=65535)]
_Small = Annotated[int, Meta(ge=1, le=65535)]
_MOST: Final = 4096
"""Samples of a kind: four times as many as there are in ten seconds."""


class Ports(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a receiver listens."""

    udp: _Port
    tcp: _Port


class Echo(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A small packet there and back, each time on the CLOCK_REALTIME of the host that it left or reached."""

    sent_ns: Count
    there_ns: Count
    left_ns: Count
    back_ns: Count


class Echoes(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Those that came back, of those that were sent."""

    sent: Count
    echoes: Annotated[list[Echo], Meta(max_length=_MOST)]


class Sent(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the flow's sender has sent by a time."""

    at_ns: Count
    segments: Count
    again: Count
    """Of these, those that were sent again."""
    rtt_us: Count
    """Smoothed."""


class Arrived(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What of the flow has come by a time, on the receiver's clock."""

    at_ns: Count
    segments: Count
    bytes: Count
    """In order."""


class LoadSamples(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The flow that filled the path, or was to."""

    control: Annotated[str, Meta(max_length=16, pattern=r"^[a-z0-9_]+\Z")]
    """By the kernel's name, in the end."""
    mss_bytes: _Small
    mtu_bytes: _Small
    took_ns: Count
    sent_bytes: Count
    busy_us: Count
    window_limited_us: Count
    """Of this, held back by the receiver's window."""
    buffer_limited_us: Count
    """Of this, held back by the send buffer."""
    sent: Annotated[list[Sent], Meta(max_length=_MOST)]
    arrived: Annotated[list[Arrived], Meta(max_length=_MOST)]


class PathSamples(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A path, unjudged."""

    echo_bytes: _Small
    """An echo's frame, on the way there."""
    idle: Echoes
    """Before there was a flow."""
    loaded: Echoes
    """Beside it."""
    load: LoadSamples | None
