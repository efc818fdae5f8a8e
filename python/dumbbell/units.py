"""Base units: runs and measurements are whole nanoseconds, bytes and parts per billion."""

from typing import Final

NS_PER_S: Final = 10**9
BITS_PER_BYTE: Final = 8
PPB: Final = 10**9
"""Parts per billion in the whole."""
