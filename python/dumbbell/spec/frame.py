"""Frames: the packets of a payload with their headers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Payload = TypeVar("Payload", float, "npt.NDArray[np.int64]")

ETHERNET_HEADER_BYTES = 14
TCP_IP_HEADER_BYTES = 52
"""IP, TCP, and its timestamps."""
MTU_BYTES = 1500
"""Of a path that says nothing of it."""
MSS_BYTES = MTU_BYTES - TCP_IP_HEADER_BYTES
FRAME_BYTES = MTU_BYTES + ETHERNET_HEADER_BYTES
"""Payload of a full packet at that MTU, and what the bottleneck charges for it."""


def wire_bytes(payload_bytes: Payload, mtu_bytes: int, overhead_bytes: int = ETHERNET_HEADER_BYTES) -> Payload:
    """Length of all frames of so much payload, headers included, in full segments and a last one; of arrays, each.

    >>> wire_bytes(1448, 1500), wire_bytes(1449, 1500)
    (1514, 1581)
    >>> wire_bytes(1448, 1500, overhead_bytes=38)
    1538
    """
    segments = -(-payload_bytes // (mtu_bytes - TCP_IP_HEADER_BYTES))
    return payload_bytes + segments * (TCP_IP_HEADER_BYTES + overhead_bytes)
