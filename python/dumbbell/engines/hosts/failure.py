"""What goes wrong with a host: which host, at which step, and what OpenSSH's messages mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dumbbell.errors import EngineFailure
from dumbbell.problem import visible

_MOST_SHOWN: Final = 200
"""Letters of what a host or `ssh` says."""
_MOST_LINES: Final = 20
_MEANINGS: Final = (
    ("REMOTE HOST IDENTIFICATION HAS CHANGED",
     "its host key has changed, or another host answers; find out why, then remove the old key: ssh-keygen -R HOST"),
    ("REVOKED HOST KEY", "its host key is revoked"),
    ("host key is known for",
     "its host key is not known; compare its fingerprint and accept it once: ssh {destination}"),
    ("Host key verification failed", "its host key could not be checked; accept it once: ssh {destination}"),
    ("Could not resolve hostname", "no such host: neither ssh_config nor the name service knows it"),
    ("Connection refused", "connection refused: no SSH server listens there"),
    ("Connection timed out", "it does not answer: no connection within {within_s} s"),
    ("No route to host", "no route to it"),
    ("Network is unreachable", "no route to it"),
    ("Too many authentication failures", "permission denied after too many keys; name the right one in ssh_config"),
    ("Permission denied", "permission denied; `ssh {destination}` must work without a password (ssh-copy-id, ssh-add)"),
    ("not responding", "the connection was lost: it answers no more"),
    ("Connection reset", "the connection was lost"),
    ("Connection closed", "the connection was lost: the other end closed it"),
    ("closed by remote host", "the connection was lost: the other end closed it"),
    ("Broken pipe", "the connection was lost"),
    ("Bad configuration option", "ssh_config has an option that this ssh does not know"),
    ("subsystem request failed", "its SSH server has no SFTP; its sshd_config needs `Subsystem sftp internal-sftp`"),
    ("Bad owner or permissions", "ssh refuses ssh_config: others may write it"),
)  # fmt: skip
"""Texts of OpenSSH's, of which the first that it printed counts, and what they mean."""


class HostFailure(EngineFailure):
    """A host that does not do what it should: `host` is its name in the inventory, `step` what was tried."""

    def __init__(self, host: str, step: str, why: str) -> None:
        super().__init__(f"{host}: {step}: {why}")
        self.host, self.step, self.why = host, step, why


def meaning(said: str, destination: str, within_s: float) -> str:
    """What `ssh` means by what it printed before it gave up; where it is nothing known, its last line.

    >>> meaning("ssh: connect to host a port 22: Connection refused", "a", 10)
    'connection refused: no SSH server listens there'
    """
    for text, means in _MEANINGS:
        if text in said:
            return means.format(destination=destination, within_s=within_s)
    return f"ssh failed: {last_line(said)}"


def last_line(said: str) -> str:
    """The last line that says something, cut short, every letter of which prints."""
    return next(_lines(said), "it printed nothing")


def spoken(text: str) -> str:
    """Several lines of a host, cut short, every letter of which prints."""
    return "\n".join(visible(line)[:_MOST_SHOWN] for line in text.splitlines()[:_MOST_LINES])


def shown(data: bytes) -> str:
    """The beginning of what a host sent, for a message."""
    return visible(data[:_MOST_SHOWN].decode("utf-8", "replace").strip())


def _lines(said: str) -> Iterator[str]:
    return (visible(line.strip())[:_MOST_SHOWN] for line in reversed(said.splitlines()) if line.strip())
