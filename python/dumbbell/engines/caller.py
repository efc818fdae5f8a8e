"""The user who calls: who became root by `sudo` is still the same user, and so are the programs that a run starts."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Caller:
    """A user of this machine."""

    name: str
    """The number again of one without a name."""
    uid: int
    gid: int
    groups: tuple[int, ...]
    """The numbers of all groups, in order."""
    home: str

    @classmethod
    def find(cls) -> Self:
        """Whose process this is; of root by `sudo` the user who called that."""
        if os.geteuid() == 0 and (by_sudo := _number("SUDO_UID")):
            return cls._known(by_sudo, _number("SUDO_GID"))
        return cls._known(os.geteuid(), os.getegid(), os.getgroups())

    @classmethod
    def _known(cls, uid: int, gid: int, groups: list[int] | None = None) -> Self:
        try:
            entry = pwd.getpwuid(uid)
        except (KeyError, OverflowError):
            name, home = None, "/"
        else:
            name, home = entry.pw_name, entry.pw_dir
        if groups is None:
            groups = os.getgrouplist(name, gid) if name else []
        return cls(name or str(uid), uid, gid, tuple(sorted({gid, *groups})), home)

    def job(self) -> dict[str, Any]:
        """As a job has it (`crates/agent/src/job.rs`)."""
        return {"uid": self.uid, "gid": self.gid, "groups": [*self.groups], "home": self.home}


def _number(variable: str) -> int:
    """What a variable of the environment has; 0: no number."""
    word = os.environ.get(variable, "")
    return int(word) if word.isascii() and word.isdigit() else 0
