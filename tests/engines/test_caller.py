"""Who calls, as the engines that start programs have it."""

from __future__ import annotations

import os
import pwd

import pytest

from dumbbell.engines.caller import Caller

NOBODY = 65534
UNKNOWN = 1_234_567
"""No user of any machine that tests run on."""


@pytest.fixture(autouse=True)
def no_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.delenv("SUDO_GID", raising=False)


def test_without_sudo_it_is_the_user_of_this_process() -> None:
    caller = Caller.find()
    assert (caller.uid, caller.gid) == (os.geteuid(), os.getegid())
    assert caller.groups == tuple(sorted({os.getegid(), *os.getgroups()}))


def test_of_root_by_sudo_it_is_who_called_that(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = pwd.getpwuid(NOBODY)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", str(NOBODY))
    monkeypatch.setenv("SUDO_GID", str(entry.pw_gid))
    caller = Caller.find()
    assert (caller.uid, caller.gid, caller.home) == (NOBODY, entry.pw_gid, entry.pw_dir)
    assert caller.groups == tuple(sorted(os.getgrouplist(entry.pw_name, entry.pw_gid)))


def test_a_user_of_sudo_whom_this_machine_does_not_know_is_not_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", str(UNKNOWN))
    monkeypatch.setenv("SUDO_GID", str(UNKNOWN + 1))
    assert Caller.find() == Caller(str(UNKNOWN), UNKNOWN, UNKNOWN + 1, (UNKNOWN + 1,), "/")


def test_only_root_came_by_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever else has that variable has set it."""
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    monkeypatch.setenv("SUDO_UID", str(UNKNOWN))
    assert Caller.find().uid == NOBODY


@pytest.mark.parametrize("word", ["", "0", "-1", "root", "٣"])
def test_what_is_no_users_number_is_root(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", word)
    assert Caller.find().uid == 0
