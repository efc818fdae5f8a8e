"""Captures that others made: those in Debian's source packages, which `make captures` fetches and nothing else does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from dumbbell.user_folder import cache_folder

FOLDER = cache_folder("captures")
PACKAGES = ("tcpdump", "tcptrace", "wireshark")
LEAST = 200
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
LINE = f"deb-src [signed-by={KEYS}] $(REPO_URI) $(RELEASE) $(COMPONENT)"
"""Of apt's settings on this machine, where it has binary packages from."""
_CAPTURE = re.compile(r"\.(pcap|pcapng|cap|dmp)(\.\w+)?$")


def fetched() -> list[Path]:
    """What is there."""
    return sorted(path for path in FOLDER.glob("*/*") if path.is_file())


def fetch() -> None:
    """Fetches the sources by apt, whose settings and lists are in a folder of their own, and unpacks the captures."""
    with tempfile.TemporaryDirectory(prefix="dumbbell-captures-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # apt fetches as a user of its own
        targets = ["apt-get", "indextargets", "--format", LINE, "Created-By: Packages", "Origin: Debian"]
        lines = subprocess.run(targets, check=True, stdout=subprocess.PIPE, text=True).stdout
        (folder / "sources.list").write_text(lines, encoding="utf-8")
        (folder / "lists/partial").mkdir(parents=True)
        options = {
            "Dir::Etc::SourceList": "sources.list", "Dir::State::Lists": "lists", "Dir::Cache": "cache",
        }  # fmt: skip
        settings = [each for option, part in options.items() for each in ("-o", f"{option}={folder / part}")]
        apt = ["apt-get", "-qq", *settings, "-o", "Dir::Etc::SourceParts=/dev/null", "-o", "APT::Sandbox::User=root"]
        subprocess.run([*apt, "update"], check=True)
        for package in PACKAGES:
            subprocess.run([*apt, "source", "--download-only", package], check=False, cwd=folder)
            for archive in folder.glob(f"{package}_*.orig.tar.*[!c]"):
                unpack(archive, FOLDER / package)


def unpack(archive: Path, folder: Path) -> None:
    """Only files that are captures by their names, and none of their folders."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as sources:
        for member in sources:
            if member.isfile() and _CAPTURE.search(member.name) and (content := sources.extractfile(member)):
                with content, (folder / Path(member.name).name).open("wb") as file:
                    shutil.copyfileobj(content, file)


if __name__ == "__main__":
    fetch()
    count = len(fetched())
    print(FOLDER)  # noqa: T201 (for the Makefile)
    sys.exit(0 if count >= LEAST else f"{count} captures, not {LEAST}: what apt-get says above tells why")
