"""The client of the control API.

Mocks of an app's requests replace the classes of http.client and socket, or what urllib and requests use. So this client
keeps those that it finds when it is imported, and opens its connections itself.
"""

from __future__ import annotations

import json
import ssl
from http.client import HTTPConnection, HTTPException, HTTPResponse
from socket import SOCK_STREAM, getaddrinfo, socket
from typing import Any, Callable
from urllib.parse import urlsplit

__tracebackhide__ = True  # pytest shows the line of the test, and no line of this file

CALL_TIMEOUT = 10.0  # seconds


class ControlError(Exception):
    """The simulator didn't start, didn't answer, or refused a call. The text says why."""

    __module__ = "banksim_testkit"  # from where tests import it


class Control:
    """A client of the control API. It uses no proxy and follows no redirect."""

    def __init__(self, url: str, token: str | None, ended: Callable[[], str | None] = lambda: None) -> None:
        self.url = url
        self._ended = ended  # why there is no simulator any more
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = "Bearer " + token

    def open(self, method: str, path: str, body: object = None, timeout: float | None = CALL_TIMEOUT) -> HTTPResponse:
        """Returns the answer to a call, which the caller reads and closes."""
        data = None if body is None else json.dumps(body).encode()
        try:
            answer = self._send(method, path, data, timeout)
            if answer.status >= 300:
                raise self._refused(answer)
            return answer
        except (OSError, HTTPException) as error:
            raise self._unanswered(error) from None

    def _send(self, method: str, path: str, data: bytes | None, timeout: float | None) -> HTTPResponse:
        to = urlsplit(self.url)
        port = to.port or (443 if to.scheme == "https" else 80)
        connection = HTTPConnection(to.hostname or "", port)
        connection.sock = _connect(to.hostname or "", port, timeout)
        if to.scheme == "https":
            connection.sock = ssl.create_default_context().wrap_socket(connection.sock, server_hostname=to.hostname)
        try:
            connection.request(method, to.path + path, data, {**self._headers, "Connection": "close"})
            return connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def call(self, method: str, path: str, body: object = None, timeout: float = CALL_TIMEOUT) -> Any:
        """Returns the JSON or the text of the answer, or None if the answer has no content."""
        with self.open(method, path, body, timeout) as answer:
            try:
                text = answer.read().decode()
            except (OSError, HTTPException) as error:
                raise self._unanswered(error) from None
            if answer.status == 204:
                return None
            return json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text

    def _unanswered(self, error: Exception) -> ControlError:
        return ControlError(self._ended() or f"no simulator answers at {self.url}: {error}")

    def _refused(self, refusal: HTTPResponse) -> ControlError:
        with refusal:
            text = refusal.read().decode(errors="replace")
        if refusal.status == 401:
            return ControlError("the simulator wants another control token: set BANKSIM_CONTROL_TOKEN")
        try:
            problem = json.loads(text)
            lines = [problem["detail"], *map(_line, problem.get("problems", []))]
        except (ValueError, KeyError, TypeError):
            return ControlError(
                f"{self.url} answers {refusal.status}, and not as a control API does: check BANKSIM_CONTROL")
        return ControlError("\n\t".join(lines))


def _connect(host: str, port: int, timeout: float | None) -> socket:
    """Returns a connection, without socket.create_connection: that uses what mocks replace."""
    problem: OSError = ConnectionError("the host has no address")
    for family, kind, protocol, _, address in getaddrinfo(host, port, type=SOCK_STREAM):
        one = socket(family, kind, protocol)
        one.settimeout(timeout)
        try:
            one.connect(address)
            return one
        except OSError as error:
            one.close()
            problem = error
    raise problem


def _line(problem: dict[str, Any]) -> str:
    """Returns a problem with its place in YAML. The JSON of a call is the kit's own."""
    is_yaml = str(problem.get("file", "")).endswith(".yaml")
    return ("{file}:{line}:{column}: ".format(**problem) if is_yaml else "") + str(problem["message"])
