"""The same tests in each language: they show what a test kit promises."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from banksim_testkit import Bank, ControlError

GROUPS = "/digitalbanking/groups/v3/groups"
numbers = itertools.count()


def ask(bank, method, path, body=None, token="demo-token"):
    """Sends a request of an app, and returns its status; 0: the answer was lost."""
    headers = {"Authorization": "Bearer " + token, "transactionId": f"t-{next(numbers)}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(bank.base_url + path, data, headers, method=method), timeout=10) as answer:
            return answer.status
    except HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0


def create_group(bank, name):
    return ask(bank, "POST", GROUPS, {"groupName": name})


def active(bank):
    return sum(group["groupStatus"] == "ACTIVE" for group in bank.state()["institutions"][0]["groups"])


def test_twenty_tests_at_a_time_keep_apart():
    def one(count):
        with Bank(seed=7) as bank:
            assert [create_group(bank, f"Group {n}") for n in range(count)] == [200] * count
            bank.verify(operation="groups.create", exactly=count)

    with ThreadPoolExecutor(20) as pool:
        assert len(list(pool.map(one, range(20)))) == 20


def test_a_lost_answer(bank):
    bank.inject({"operation": "groups.create", "when": {"first": 1}, "then": {"connection": "reset"}, "phase": "after"})
    before = active(bank)
    assert create_group(bank, "Night owls") == 0
    assert active(bank) == before + 1
    assert create_group(bank, "Night owls") == 400


def test_a_token_expires_by_the_clock(bank):
    token = bank.call("POST", "/institutions/02688/tokens", {"client": "demo-app", "expiresIn": "15m"})["accessToken"]
    assert ask(bank, "GET", GROUPS, token=token) == 200
    before = datetime.fromisoformat(bank.call("GET", "/clock")["now"][:19] + "+00:00")
    assert (bank.advance("16m") - before).total_seconds() >= 16 * 60
    assert ask(bank, "GET", GROUPS, token=token) == 401


def test_a_fault_fires_as_often_as_it_says(bank):
    bank.inject({"operation": "groups.list", "when": {"first": 2}, "then": {"status": 503}})
    assert [ask(bank, "GET", GROUPS) for _ in range(4)] == [503, 503, 200, 200]
    bank.verify(operation="groups.list", status=503, exactly=2)


def test_a_verification_that_fails_says_why(bank):
    create_group(bank, "Night owls")
    bank.verify(operation="groups.create", body={"groupName": "Night owls"}, exactly=1)
    with pytest.raises(AssertionError) as failed:
        bank.verify(operation="groups.create", body={"groupName": "Day birds"})
    assert str(failed.value) == (
        'expected requests (operation "groups.create", body.groupName "Day birds", at least 1): the bank had 0 such requests\n'
        '\tnear miss: exchange 1, groups.create\n\t\tbody.groupName is "Night owls", not "Day birds"')


def test_what_no_request_can_fulfil_is_refused(bank):
    with pytest.raises(ControlError, match=r'unknown operation "groups.lst": did you mean "groups.list"\?'):
        bank.verify(operation="groups.lst", exactly=0)
    with pytest.raises(ControlError, match='did you mean "groups.list"'):
        bank.inject({"operation": "groups.lst", "then": {"status": 500}})
    with pytest.raises(ControlError, match='did you mean "retail"'):
        Bank(scenario="retial")


def test_a_change_of_the_state(bank):
    bank.patch({"active": False}, "02688", "1001")
    users = {user["hostUserId"]: user for user in bank.state()["institutions"][0]["users"]}
    assert users["1001"]["active"] is False
    with pytest.raises(ControlError, match="9999"):
        bank.patch({"active": False}, "02688", "9999")


def test_a_reset_returns_to_the_start(bank):
    before = active(bank)
    create_group(bank, "Night owls")
    bank.reset()
    assert active(bank) == before
    assert bank.journal() == []


def test_why_a_request_was_refused(bank):
    with pytest.raises(ControlError, match="the bank had no request"):
        bank.why()
    ask(bank, "GET", GROUPS, token="nobody-s")
    assert "\n  Refused with 401" in bank.why()
    assert bank.why("1") == bank.why()


def test_a_fault_that_never_fires_fails_the_test():
    bank = Bank()
    bank.inject({"name": "idle", "operation": "groups.list", "then": {"status": 503}})
    with pytest.raises(AssertionError, match="^the fault idle never fired: 0 requests"):
        bank.close()
    with pytest.raises(ControlError, match="there is no sandbox"):
        bank.state()


@pytest.mark.skipif("BANKSIM_CONTROL" in os.environ, reason="it runs already")
def test_the_simulator_ends_with_a_process_that_is_killed():
    program = "import time; from banksim_testkit import Bank; print(Bank().base_url, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as runner:
        base_url = runner.stdout.readline().strip()
        with pytest.raises(HTTPError):
            urlopen(base_url, timeout=10)
        runner.send_signal(signal.SIGKILL)
    end = time.monotonic() + 30
    while True:
        try:
            urlopen(base_url, timeout=10)
        except HTTPError:
            assert time.monotonic() < end
        except OSError:
            break
