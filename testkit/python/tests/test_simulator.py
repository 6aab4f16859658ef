"""How the kit starts a simulator, and how it uses one that runs already."""

import os
import shlex
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

import pytest

from banksim_testkit import Bank, ControlError, simulator
from banksim_testkit.control import Control

PROGRAM = shutil.which(os.environ.get("BANKSIM") or "banksim")

starts = pytest.mark.skipif(bool(os.environ.get("BANKSIM_CONTROL")), reason="a simulator runs already")
CREATE = 'with Bank() as bank: print(bank.call("GET", "")["scenario"])'


def run(code, **variables):
    """Runs code in a process of its own, and returns what it prints or, if it fails, the last lines of its stderr."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BANKSIM_")}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run([sys.executable, "-X", "dev", "-c", "from banksim_testkit import Bank\n" + code], text=True,
                          env={**environment, **variables}, capture_output=True)
    assert "ResourceWarning" not in done.stderr
    return done.stdout.strip() if done.returncode == 0 else done.stderr.partition("ControlError: ")[2].strip()


@pytest.fixture
def program(tmp_path):
    def write(script):
        path = tmp_path / "banksim"
        path.write_text("#!/bin/sh\necho warn: a disk is nearly full >&2\n" + script)
        path.chmod(0o755)
        return str(path)

    return write


@starts
def test_lines_on_stderr_are_no_failed_start(program):
    script = program(f'exec {shlex.quote(PROGRAM)} "$@"\n')
    assert run(CREATE, BANKSIM=script) == "retail"


@starts
def test_a_start_that_fails_shows_the_last_lines(program):
    ended = run("Bank()", BANKSIM=program("for n in $(seq 30); do echo line $n >&2; done; exit 3\n"))
    assert ended == "banksim didn't start: it ended with exit code 3" + "".join(f"\n\tline {n}" for n in range(11, 31))
    slow = run("Bank(start_timeout=0.5)", BANKSIM=program("exec sleep 600\n"))
    assert slow == "banksim didn't start within 0.5 s, see start_timeout\n\twarn: a disk is nearly full"
    missing = run("Bank()", BANKSIM="/nowhere/banksim")
    assert missing.endswith("'/nowhere/banksim': put it on the PATH, or name it in the variable BANKSIM")


def test_a_simulator_that_runs_already(bank):
    control = simulator.shared(30).control
    service = urlsplit(bank.base_url)
    code = 'with Bank() as bank: bank.advance("1m"); print(bank.name, bank.base_url, bank.https_url)'
    known = {"BANKSIM": "/nowhere/banksim", "BANKSIM_CONTROL": control.url.replace("http://", "") + "/",
             "BANKSIM_CONTROL_TOKEN": os.environ.get("BANKSIM_CONTROL_TOKEN", "")}

    name, base_url, https_url = run(code, **known).split()
    assert base_url == f"http://{service.netloc}/sandboxes/{name}"
    assert (https_url == "None") == (bank.https_url is None)
    name, base_url, https_url = run(code, **known, BANKSIM_SERVICE="bank.test:1234/base//").split()
    assert (base_url, https_url) == (f"http://bank.test:1234/base/sandboxes/{name}", "None")
    name, base_url, https_url = run(code, **known, BANKSIM_SERVICE="https://bank.test").split()
    assert base_url == https_url == f"https://bank.test/sandboxes/{name}"

    known["BANKSIM_CONTROL"] = service.netloc
    assert run(code, **known).endswith("and not as a control API does: check BANKSIM_CONTROL")
    known["BANKSIM_CONTROL"] = "127.0.0.1:1"
    assert run(code, **known).startswith("no simulator answers at http://127.0.0.1:1: ")


def test_a_redirect_takes_the_token_nowhere(bank):
    class Redirect(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(302)
            self.send_header("Location", simulator.shared(30).control.url + self.path)
            self.end_headers()

        log_message = print

    with HTTPServer(("127.0.0.1", 0), Redirect) as server:
        threading.Thread(target=server.serve_forever).start()
        with pytest.raises(ControlError, match=" answers 302, and not as a control API does: check BANKSIM_CONTROL$"):
            Control(f"http://127.0.0.1:{server.server_port}", "token").call("GET", "/v1/info")
        server.shutdown()


@starts
def test_a_control_token():
    code = """
from banksim_testkit.control import Control
from banksim_testkit.simulator import shared
with Bank() as bank: print(bank.advance("1m") is not None)
Control(shared(30).control.url, "wrong").call("GET", "/v1/info")
"""
    refused = run(code, BANKSIM_CONTROL_TOKEN="right")
    assert refused == "the simulator wants another control token: set BANKSIM_CONTROL_TOKEN"


@starts
def test_a_proxy_of_the_environment_is_not_used():
    proxy = "http://127.0.0.1:1"
    assert run(CREATE, http_proxy=proxy, HTTP_PROXY=proxy) == "retail"


def test_mocks_of_the_app_s_requests_dont_meet_the_kit(monkeypatch):
    def forbidden(*_, **__):
        raise AssertionError("requests are forbidden")

    for name in ["socket.socket", "socket.create_connection", "http.client.HTTPConnection", "urllib.request.urlopen"]:
        monkeypatch.setattr(name, forbidden)  # as httpretty and vcrpy have it
    with Bank() as bank:
        bank.advance("1m")


@starts
def test_a_simulator_that_died(program):
    script = program(f'echo $$ >"$0.pid"; exec {shlex.quote(PROGRAM)} "$@"\n')
    code = """
import os, signal
bank = Bank()
with open(os.environ["BANKSIM"] + ".pid") as file: os.kill(int(file.read()), signal.SIGKILL)
try: bank.state()
except Exception as error: print(error)
with Bank() as other: print(other.advance("1m") is not None)
"""
    assert run(code, BANKSIM=script) == "the simulator ended (signal 9)\n\twarn: a disk is nearly full\nTrue"
    assert run("Bank()", BANKSIM=program("exit 0\n")).partition(" ended at once: is it banksim?")[1]
    assert "older than this kit" in run("Bank()", BANKSIM=program("echo unknown flag --x >&2; exit 2\n"))
