"""The simulator that all banks of this process share."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
import threading
import time
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit

from .control import Control, ControlError

__tracebackhide__ = True  # pytest shows the line of the test, and no line of this file


class Explored(NamedTuple):
    """The bank that banksim explore has made for this run of the tests."""

    name: str
    base_url: str


class Simulator(NamedTuple):
    """A running simulator."""

    control: Control
    service: str | None = None  # the URL at which the app reaches it, or None if each sandbox says it
    explored: Explored | None = None
    process: subprocess.Popen[bytes] | None = None
    keepalive: Any = None  # an open answer: the simulator ends soon after it is closed


_lock = threading.Lock()
_shared: Simulator | None = None


def shared(start_timeout: float) -> Simulator:
    """Returns the simulator of this process. The first call starts it, unless BANKSIM_CONTROL names one."""
    global _shared
    with _lock:
        if _shared and _shared.process and _shared.process.poll() is not None:
            _shared = None
        if _shared is None and os.environ.get("BANKSIM_EXPLORE"):
            url, _, name = os.environ["BANKSIM_CONTROL_URL"].partition("/v1/sandboxes/")
            _shared = Simulator(Control(url, os.environ.get("BANKSIM_TOKEN")),
                                explored=Explored(name, os.environ["BANKSIM_BASE_URL"]))
        if _shared is None:
            control, token = os.environ.get("BANKSIM_CONTROL"), os.environ.get("BANKSIM_CONTROL_TOKEN")
            service = os.environ.get("BANKSIM_SERVICE")
            if control:
                _shared = Simulator(Control(_url("BANKSIM_CONTROL", control), token),
                                    _url("BANKSIM_SERVICE", service) if service else None)
            else:
                _shared = _start(token, start_timeout)
        return _shared


def _url(variable: str, text: str) -> str:
    url = (text if "://" in text else "http://" + text).rstrip("/")
    try:
        parts = urlsplit(url)
        if parts.hostname and parts.port != 0:
            return url
    except ValueError:
        pass  # it says no more
    raise ControlError(f'{variable} is no URL such as http://127.0.0.1:8081: "{text}"')


def _start(token: str | None, start_timeout: float) -> Simulator:
    """Starts the program. It ends when its keepalive breaks, so it ends with this process even if that is killed."""
    program = os.environ.get("BANKSIM") or "banksim"
    log = tempfile.TemporaryFile()  # open as long as the simulator: it may tell why that ended
    atexit.register(log.close)
    with tempfile.TemporaryDirectory() as folder:
        ready = os.path.join(folder, "ready.json")
        try:
            process = _Process(
                [program, "serve", "--listen=127.0.0.1:0", "--listen=https://127.0.0.1:0", "--control=127.0.0.1:0",
                 "--no-default-sandbox", "--exit-when-idle=1m", "--clock-start=2026-01-15T09:00:00Z",
                 "--log-level=error", "--ready-file=" + ready],
                env=_environment(token), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        except OSError as error:
            raise ControlError(
                f"banksim didn't start: {error}: put it on the PATH, or name it in the variable BANKSIM") from None
        end = time.monotonic() + start_timeout
        while not os.path.exists(ready):
            if process.poll() == 0:
                raise ControlError(f"banksim didn't start: {program} ended at once: is it banksim?" + _tail(log))
            if process.poll() is not None:
                raise ControlError(f"banksim didn't start: it ended with exit code {process.returncode}" + _tail(log))
            if time.monotonic() > end:
                process.kill()
                process.wait()
                raise ControlError(f"banksim didn't start within {start_timeout:g} s, see start_timeout" + _tail(log))
            time.sleep(0.005)
        with open(ready) as file:
            control = Control(json.load(file)["control"], token, lambda: _reason(process, log))
    keepalive = control.open("POST", "/v1/keepalive?linger=0s", timeout=None)
    return Simulator(control, process=process, keepalive=keepalive)


class _Process(subprocess.Popen[bytes]):
    """A process that outlives this one: nobody needs a warning that it still runs."""

    def __del__(self) -> None: ...


def _reason(process: subprocess.Popen[bytes], log: IO[bytes]) -> str | None:
    """Returns why the simulator of this process ended, or None if it runs. A call may fail just before it has ended."""
    try:
        code = process.wait(0.2)
    except subprocess.TimeoutExpired:
        return None
    return f"the simulator ended ({f'signal {-code}' if code < 0 else f'exit code {code}'})" + _tail(log)


def _environment(token: str | None) -> dict[str, str]:
    """Returns the environment of the program. No option comes from this process but the token: BANKSIM_DATA would have
    the tests write to a store."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("BANKSIM_")}
    return {**others, "BANKSIM_CONTROL_TOKEN": token} if token else others


def _tail(log: IO[bytes]) -> str:
    """Returns the last lines of the log, indented."""
    log.seek(0)
    text = log.read().decode(errors="replace")
    older = "\n\tthe program is older than this kit: build it anew" if "unknown flag" in text else ""
    return older + "".join("\n\t" + line for line in text.splitlines()[-20:])
