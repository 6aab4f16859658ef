"""The same tests in each language: they show what a test kit promises."""

import itertools
import json
import os
import signal
import ssl
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from banksim_testkit import Bank, ControlError

GROUPS = "/digitalbanking/groups/v3/groups"
numbers = itertools.count()


def ask(bank, method, path, body=None, token="demo-token"):
    """Sends a request of an app, and returns its status, or 0 if the answer was lost."""
    headers = {"Authorization": "Bearer " + token, "transactionId": f"t-{next(numbers)}",
               "Content-Type": "application/json"}
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
    token = bank.token(expires_in=timedelta(minutes=15))
    assert ask(bank, "GET", GROUPS, token=token) == 200
    before = bank.advance("0s")
    assert timedelta(minutes=16) <= bank.advance(timedelta(minutes=16)) - before < timedelta(minutes=17)
    assert ask(bank, "GET", GROUPS, token=token) == 401


def test_a_login(bank):
    login = bank.login("1001", client="partner-app", expires_in="15m")
    assert (login["client"], login["hostUserId"]) == ("partner-app", "1001")
    assert bank.call("POST", "/token-status", {"token": login["accessToken"]}) == {"status": "active"}
    assert bank.call("POST", "/token-status", {"token": login["refreshToken"]}) == {"status": "active"}
    with pytest.raises(ControlError, match="hostUserId is not one of the institution's users"):
        bank.token("9999", institution_id="02688")
    with Bank(scenario_yaml='institutions: [{institutionId: "1"}]') as empty:
        with pytest.raises(ControlError, match="the bank has no client to mint a token for"):
            empty.token()


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
        'expected requests (operation "groups.create", body.groupName "Day birds", at least 1): '
        'the bank had 0 such requests\n\tnear miss: exchange 1, groups.create\n'
        '\t\tbody.groupName is "Night owls", not "Day birds"')


def test_each_condition_of_a_verification_counts(bank):
    create_group(bank, "Night owls")
    for holds, fails in [
        ({"status": 200}, {"status": 201}),
        ({"method": "POST", "path": GROUPS}, {"method": "GET", "path": GROUPS}),
        ({"header": {"X-Test": None}}, {"header": {"X-Test": "1"}}),
        ({"query": {"debug": None}}, {"query": {"debug": "1"}}),
        ({"at_least": 1}, {"at_least": 2}),
        ({"at_most": 1}, {"at_most": 0}),
    ]:
        bank.verify(**holds)
        with pytest.raises(AssertionError, match="^expected requests"):
            bank.verify(**fails)


def test_what_no_request_can_fulfil_is_refused(bank):
    with pytest.raises(ControlError, match=r'^unknown operation "groups.lst": did you mean "groups.list"\?'):
        bank.verify(operation="groups.lst", exactly=0)
    with pytest.raises(ControlError, match='\n\t.*did you mean "groups.list"'):
        bank.inject({"operation": "groups.lst", "then": {"status": 500}})
    with pytest.raises(ControlError, match='did you mean "retail"'):
        Bank(scenario="retial")


def test_a_change_of_the_state(bank):
    assert bank.patch("02688", "1001", active=False)["active"] is False
    users = {user["hostUserId"]: user for user in bank.state()["institutions"][0]["users"]}
    assert users["1001"]["active"] is False
    account = bank.patch("02688", "1001", users["1001"]["accounts"][0]["accountId"], disclosure_status="NOT_ACCEPTED")
    assert {d["institutionDisclosureStatus"] for d in account["disclosures"]} == {"NOT_ACCEPTED"}
    assert bank.patch("02688", multistatement=False)["multistatement"] is False
    with pytest.raises(ControlError, match="9999"):
        bank.patch("02688", "9999", active=False)
    with pytest.raises(ControlError, match="the patch is empty"):
        bank.patch("02688", "1001")


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
    assert " 401 2003\n" in bank.why()
    assert bank.why("1") == bank.why()
    assert [x["decision"]["outcome"] for x in bank.journal("groups.list")] == ["refused"]
    assert bank.journal("groups.create") == []
    assert bank.call("DELETE", "/journal") is None
    assert bank.journal() == []


def test_a_fault_that_never_fires_fails_the_test():
    bank = Bank()
    bank.inject({"operation": "groups.list", "when": {"nth": 2}, "then": {"status": 503}})
    line = sys._getframe().f_lineno - 1
    ask(bank, "GET", GROUPS)
    with pytest.raises(AssertionError) as failed:
        bank.close()
    text = str(failed.value)
    assert text.startswith(f"test_bank.py:{line}: the fault fault-1 (groups.list, nth 2) never fired: 1 request matched it")
    assert f"GET {GROUPS} -> 200 OK" in text
    with pytest.raises(ControlError, match="the bank is closed"):
        bank.state()


@pytest.mark.parametrize("end", ["reset", "clear_faults"])
def test_a_fault_that_never_fires_fails_a_reset(bank, end):
    bank.inject({"name": "idle", "operation": "groups.list", "then": {"status": 503}})
    with pytest.raises(AssertionError, match=r"the fault idle \(groups.list\) never fired: 0 requests matched it"):
        getattr(bank, end)()
    getattr(bank, end)()
    assert bank.call("GET", "/faults")["faults"] == []


def test_an_exception_hides_a_fault_that_never_fires(capsys):
    with pytest.raises(ZeroDivisionError), Bank() as bank:
        bank.inject({"operation": "groups.list", "when": {"nth": 2}, "then": {"status": 503}})
        ask(bank, "GET", GROUPS)
        1 / 0
    assert f"GET {GROUPS} -> 200 OK" in capsys.readouterr().err
    with pytest.raises(ControlError, match="the bank is closed"):
        bank.state()


def test_a_block_with_a_fault_that_never_fires_shows_the_requests(capsys):
    with pytest.raises(AssertionError, match="never fired"), Bank() as bank:
        bank.inject({"operation": "groups.list", "when": {"nth": 2}, "then": {"status": 503}})
        ask(bank, "GET", GROUPS)
    assert f"GET {GROUPS} -> 200 OK" in capsys.readouterr().err


def test_https(bank):
    if bank.https_url is None and os.environ.get("BANKSIM_CONTROL"):
        pytest.skip("the simulator that runs already doesn't speak it")
    trusted = ssl.create_default_context(cadata=bank.ca_cert())
    headers = {"Authorization": "Bearer demo-token", "transactionId": "t-1"}
    with urlopen(Request(bank.https_url + GROUPS, headers=headers), timeout=10, context=trusted) as answer:
        assert answer.status == 200
    bank.verify(operation="groups.list", exactly=1)


def test_a_long_test_renews_its_bank(bank, monkeypatch):
    def expires():
        return bank.call("GET", "")["expiresAt"]

    start = expires()
    assert expires() == start
    monkeypatch.setattr("banksim_testkit.bank.RENEWAL", -1)
    assert expires() > start


@pytest.mark.skipif(bool(os.environ.get("BANKSIM_CONTROL")), reason="a simulator runs already")
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


def test_a_fork_is_judged_with_its_bank():
    bank = Bank()
    bank.fork().inject({"operation": "jobs.get", "then": {"status": 500}})
    with pytest.raises(AssertionError, match="never fired"):
        bank.close()


def test_nobody_is_no_user(bank):
    with pytest.raises(TypeError, match="the host_user_id is missing"):
        bank.login("")
    with pytest.raises(ControlError, match="token is missing"):
        bank.token_status("")
