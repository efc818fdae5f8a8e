"""What is said of a kernel that does not come up. The consoles were seen: with `seccomp`, `noexec` and full folders."""

from __future__ import annotations

import sys

import pytest
from syrupy.assertion import SnapshotAssertion

from dumbbell.engines import diagnosis
from dumbbell.engines.diagnosis import state_bytes

CONSOLES = [
    "userspace - ptrace set fp regs failed, errno = 14\nKernel panic - not syncing: Attempted to kill init!",
    "ptrace: Operation not permitted\ncheck_ptrace : expected SIGSTOP, got status = 9",
    "dumbbell-agent: turn off address randomisation: EPERM: Operation not permitted",
    "the kernel could not be started: /tmp/dumbbell-run-imm4mwwu/root/init: Permission denied",
    "dumbbell-agent: execute /cache/linux: Permission denied (os error 13)",
    "setup_physmem - mapping 1061158912 bytes of memory at 0x(____ptrval____) failed - errno = -12",
    "<3>Bus error - the host /dev/shm or /tmp mount likely just ran out of space\n<0>Kernel panic",
]


def test_a_console_that_is_known_is_one_line_with_what_helps(
    monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(diagnosis, "state_bytes", lambda: 20_000)
    diagnoses = {console: diagnosis.diagnosis(f"some line\n{console}\n") for console in CONSOLES}
    assert diagnoses == snapshot


def test_a_console_that_is_not_known_is_none() -> None:
    assert diagnosis.diagnosis("Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b") is None
    assert diagnosis.diagnosis("") is None


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
def test_this_machine_says_how_large_its_vector_state_is() -> None:
    assert state_bytes() % 8 == 0
    assert 576 <= state_bytes() < 1 << 20, "x87 and SSE with a header at least"
