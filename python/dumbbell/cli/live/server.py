"""A page of the run that is being measured, for browsers of this machine that know its address.

Other users of the machine can connect, and pages of other sites can make a browser try: who does not know the token
gets nothing, and neither does who came by another name of the machine (DNS rebinding).
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from socketserver import TCPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

from dumbbell.charts.style import DASHES, dash_of, shade_of, style_of
from dumbbell.errors import ReportError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dumbbell.cli.live.history import History, Track

LOOPBACK: Final = "127.0.0.1"
_TOKEN_BYTES: Final = 16
_ABSENT: Final = HTTPStatus(404)
_PATIENCE_S: Final = 10
_LONGEST_NUMBER: Final = 15
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_UNKNOWN_COLOUR: Final = "#7f7f7f"


@contextmanager
def served(history: History) -> Iterator[str]:
    """Serves the page meanwhile, and gives its address.

    Raises:
        ReportError: this machine has no loopback, or no port.
    """
    try:
        server = _Server(history)
    except OSError as error:
        raise ReportError(f"live page on {LOOPBACK}: {error.strerror or error}") from None
    with server:
        thread = Thread(target=server.serve_forever, args=(0.1,), name="live page", daemon=True)
        thread.start()
        try:
            yield f"http://{LOOPBACK}:{server.server_port}/{server.token}"
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, history: History) -> None:
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        self.history = history
        super().__init__((LOOPBACK, 0), _Handler)

    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # HTTPServer's asks for the machine's name besides, which can take long
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 (its signature)
        """A browser that went away is nothing to print across the terminal."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _PATIENCE_S

    def parse_request(self) -> bool:
        """Refuses what is not GET, and what comes by another name or without the token."""
        if not super().parse_request():
            return False
        names = [f"{name}:{self.server.server_port}" for name in (LOOPBACK, "localhost")]
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].strip().lower() not in names:
            return self._refuse(HTTPStatus.FORBIDDEN)
        if self.command != "GET":
            return self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET"})
        return True

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        token, _, rest = address.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(_ABSENT)
        elif rest == "":
            page, policy = _page()
            self._answer(page, "text/html; charset=utf-8", {"Content-Security-Policy": policy})
        elif rest == "readings":
            after = parse_qs(address.query).get("after", ["0"])[0]
            number = int(after) if after.isascii() and after.isdigit() and len(after) <= _LONGEST_NUMBER else 0
            self._answer(self._readings(number), "application/json")
        else:
            self._refuse(_ABSENT)

    def version_string(self) -> str:
        return "dumbbell"

    def log_message(self, *_: object) -> None:
        """Nobody wants lines of requests in what a terminal shows."""

    def _readings(self, after: int) -> bytes:
        situation = self.server.history.situation(after)
        value = {
            "label": situation.label, "run": situation.run, "over": situation.over, "done": situation.done,
            "runs": situation.runs, "duration_s": situation.duration_s, "tracks": _looks(situation.tracks),
            "instants": situation.instants,
        }  # fmt: skip
        return json.dumps(value, allow_nan=False).encode()

    def _refuse(self, status: HTTPStatus, headers: Mapping[str, str] = _HEADERS) -> bool:
        self._answer(f"{status.phrase}\n".encode(), "text/plain; charset=utf-8", headers, status)
        self.close_connection = True
        return False

    def _answer(
        self, body: bytes, kind: str, headers: Mapping[str, str] = _HEADERS, status: HTTPStatus = HTTPStatus.OK
    ) -> None:
        self.send_response(status)
        fields = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": "default-src 'none'",
        }
        for name, value in {**fields, **_HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@cache
def _page() -> tuple[bytes, str]:
    """The page, and the policy that lets it do no more than it has to."""
    from dumbbell.report.html import style_sheet

    text = files("dumbbell.cli.live").joinpath("page.html").read_text(encoding="utf-8")
    text = text.replace("/* page.css */", style_sheet())
    script, style = (_hash(_between(text, f"<{tag}>", f"</{tag}>")) for tag in ("script", "style"))
    policy = (
        f"default-src 'none'; script-src '{script}'; style-src '{style}'; connect-src 'self'; base-uri 'none';"
        " form-action 'none'; frame-ancestors 'none'"
    )
    return text.encode(), policy


def _between(text: str, begin: str, end: str) -> str:
    return text.partition(begin)[2].partition(end)[0]


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _looks(tracks: Sequence[Track]) -> list[dict[str, Any]]:
    """Each track with its line: of flows of one algorithm each has a dash and a shade of its own."""
    ranks: dict[str, int] = {}
    looks = []
    for track in tracks:
        rank = ranks[track.algorithm] = ranks.get(track.algorithm, -1) + 1
        style = style_of(track.algorithm) if track.algorithm else None
        looks.append(
            {
                "label": track.label,
                "algorithm": track.algorithm,
                "colour": shade_of(style, rank) if style else _UNKNOWN_COLOUR,
                "dash": DASHES[dash_of(style, rank)] if style else [],
            }
        )
    return looks
