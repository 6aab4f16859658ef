"""A simulated bank for each test, which is asked what the app did.

It needs the program banksim, named by the variable BANKSIM or found on the PATH, or the control API of a simulator that runs already, in
BANKSIM_CONTROL.
"""

import json
import os
import subprocess
import tempfile
import threading
import time
from datetime import datetime
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

__all__ = ["Bank", "ControlError"]

START_TIMEOUT = 10  # seconds
CALL_TIMEOUT = 10  # seconds


class ControlError(Exception):
    """The simulator refused a call, and says why."""


class Bank:
    """A simulated bank of one test: a sandbox of its own.

    The arguments are those of a new sandbox of the control API: scenario, scenarioYaml, seed, ttl. The simulator starts with the first bank of
    the process, and ends with the process. As a context manager, a bank is closed at the end.
    """

    def __init__(self, **plan):
        self._control = _simulator()
        self._unfired = set()  # names of faults that inject has added
        sandbox = self._control.call("POST", "/v1/sandboxes", {"ttl": "1h", **plan})
        self.name = sandbox["name"]
        self.base_url = sandbox["baseUrl"]

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        if error is not None:
            self._unfired.clear()  # the test has failed anyway
        self.close()

    def call(self, method, path, body=None):
        """Makes a call of the control API about this bank, such as call("GET", "/diff"), and returns what it answers."""
        return self._control.call(method, f"/v1/sandboxes/{self.name}{path}", body)

    def inject(self, *rules):
        """Adds fault rules. Each has to fire until the bank is reset or closed."""
        self._unfired.update(fault["name"] for fault in self.call("POST", "/faults", list(rules))["faults"])

    def verify(self, **expectation):
        """Raises an AssertionError unless the bank had the requests that are expected."""
        verdict = self.call("POST", "/journal/verify", expectation)
        if not verdict["verified"]:
            raise AssertionError(verdict["text"])

    def journal(self, operation=""):
        """Returns the last exchanges of an operation or, without one, all; at most a thousand, the newest last."""
        return self.call("GET", f"/journal?limit=1000&operation={quote(operation)}")["exchanges"]

    def why(self, exchange=None):
        """Says why the bank answered a request as it did: the one of a number, or the newest."""
        if exchange is None:
            newest = self.call("GET", "/journal?limit=1")["exchanges"]
            if not newest:
                raise ControlError("the bank had no request: does the app use its base_url?")
            exchange = newest[0]["id"]
        return self.call("GET", f"/journal/{quote(exchange, safe='')}/why?format=text")

    def state(self):
        """Returns all that the bank holds."""
        return self.call("GET", "/state")

    def patch(self, set, institution_id, host_user_id=None, account_id=None):
        """Changes an institution, one of its users, or an account of a user, past the bank's rules, and returns the row."""
        path = "/institutions/" + quote(institution_id, safe="")
        if host_user_id is not None:
            path += "/users/" + quote(host_user_id, safe="")
        if account_id is not None:
            path += "/accounts/" + quote(account_id, safe="")
        return self.call("PATCH", path, set)

    def advance(self, duration):
        """Moves the bank's clock by a duration such as "15m", and returns the time that it shows then."""
        now = self.call("POST", "/clock", {"advance": duration})["now"]
        return datetime.fromisoformat(now[:19] + "+00:00")

    def reset(self):
        """Puts everything back to the start: bank, faults, journal and clock."""
        self._require_fired()
        self.call("POST", "/reset")

    def close(self):
        """Removes the bank. Raises an AssertionError if a fault that inject has added never fired."""
        try:
            self._require_fired()
        finally:
            self.call("DELETE", "")

    def _require_fired(self):
        idle = [f for f in self.call("GET", "/faults")["faults"] if f["name"] in self._unfired and f["fired"] == 0]
        self._unfired.clear()
        if idle:
            raise AssertionError("\n".join(
                f"the fault {f['name']} never fired: {f['matched']} requests were its operation's, and like those it is for" for f in idle))


class _Control:
    """The control API of a simulator. No proxy of the environment reaches it."""

    def __init__(self, url, token):
        self.url = url.rstrip("/")
        self.headers = {"Authorization": "Bearer " + token} if token else {}
        self.opener = build_opener(ProxyHandler({}))

    def open(self, method, path, body=None, timeout=CALL_TIMEOUT):
        data = None if body is None else json.dumps(body).encode()
        return self.opener.open(Request(self.url + path, data, self.headers, method=method), timeout=timeout)

    def call(self, method, path, body=None):
        """Returns the JSON or the text of the answer. Raises what the simulator says is wrong."""
        try:
            with self.open(method, path, body) as answer:
                text = answer.read().decode()
                return json.loads(text) if "json" in answer.headers.get("Content-Type", "") else text
        except HTTPError as error:
            with error:
                text = error.read().decode()
            problem = json.loads(text) if "json" in error.headers.get("Content-Type", "") else {"detail": text}
            message = f"{method} {path}: {error.code} {problem['detail']}"
            for p in problem.get("problems", []):
                message += f"\n\t{p['file']}:{p['line']}:{p['column']}: {p['message']}" if "line" in p else "\n\t" + p["message"]
            raise ControlError(message) from None


_lock = threading.Lock()
_shared = None  # the simulator of this process
_lifeline = None  # which keeps that running


def _simulator():
    global _shared
    with _lock:
        if _shared is None:
            url, token = os.environ.get("BANKSIM_CONTROL"), os.environ.get("BANKSIM_CONTROL_TOKEN")
            _shared = _Control(url if "://" in url else "http://" + url, token) if url else _start(token)
        return _shared


def _start(token):
    """Starts the program. It ends with this process, however that ends: its lifeline breaks then."""
    global _lifeline
    program = os.environ.get("BANKSIM") or "banksim"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as said:
        ready = os.path.join(folder, "ready.json")
        try:
            process = subprocess.Popen(
                [program, "serve", "--listen=127.0.0.1:0", "--control=127.0.0.1:0", "--no-default-sandbox", "--exit-when-idle=1m",
                 "--clock-start=2026-01-15T09:00:00Z", "--log-level=error", "--ready-file=" + ready],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        except OSError as error:
            raise ControlError(f"banksim didn't start: {error}: put it on the PATH, or name it in the variable BANKSIM") from None
        end = time.monotonic() + START_TIMEOUT
        while not (os.path.exists(ready) and os.path.getsize(ready)):
            if process.poll() is not None or time.monotonic() > end:
                said.seek(0)
                raise ControlError("banksim didn't start: " + said.read().decode())
            time.sleep(0.005)
        with open(ready) as file:
            control = _Control(json.load(file)["control"], token)
    _lifeline = control.open("GET", "/v1/lifeline?linger=0s", timeout=None)
    process.returncode = 0  # nobody waits for it: it ends after this process
    return control
