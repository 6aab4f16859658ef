"""The client of the control API."""

from __future__ import annotations

import json
from http.client import HTTPException, HTTPMessage
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

__tracebackhide__ = True  # pytest shows the line of the test, and no line of this file

CALL_TIMEOUT = 10.0  # seconds


class ControlError(Exception):
    """The simulator didn't start, didn't answer, or refused a call. The text says why."""

    __module__ = "banksim_testkit"  # from where tests import it


class Control:
    """A client of the control API. It uses no proxy and follows no redirect."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url = url
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = "Bearer " + token
        self._opener = build_opener(ProxyHandler({}), _NoRedirect)

    def open(self, method: str, path: str, body: object = None, timeout: float | None = CALL_TIMEOUT) -> Any:
        """Returns the answer to a call, which the caller reads and closes."""
        data = None if body is None else json.dumps(body).encode()
        try:
            return self._opener.open(Request(self.url + path, data, self._headers, method=method), timeout=timeout)
        except HTTPError as refusal:
            raise self._refused(refusal) from None
        except (OSError, HTTPException) as error:
            raise self._unanswered(error) from None

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Returns the JSON or the text of the answer, or None if the answer has no content."""
        with self.open(method, path, body) as answer:
            try:
                text = answer.read().decode()
            except (OSError, HTTPException) as error:
                raise self._unanswered(error) from None
            if answer.status == 204:
                return None
            return json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text

    def _unanswered(self, error: Exception) -> ControlError:
        reason = error.reason if isinstance(error, URLError) else error
        return ControlError(f"no simulator answers at {self.url}: {reason}")

    def _refused(self, refusal: HTTPError) -> ControlError:
        with refusal:
            text = refusal.read().decode(errors="replace")
        if refusal.code == 401:
            return ControlError("the simulator wants another control token: set BANKSIM_CONTROL_TOKEN")
        try:
            problem = json.loads(text)
            lines = [problem["detail"], *map(_line, problem.get("problems", []))]
        except (ValueError, KeyError, TypeError):
            return ControlError(
                f"{self.url} answers {refusal.code}, and not as a control API does: check BANKSIM_CONTROL")
        return ControlError("\n\t".join(lines))


def _line(problem: dict[str, Any]) -> str:
    place = "{file}:{line}:{column}: ".format(**problem) if "line" in problem else ""
    return place + str(problem["message"])


class _NoRedirect(HTTPRedirectHandler):
    """Refuses redirects, so that no other host gets the token."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None
