"""The plugin of pytest, as the runs of small test files show it."""

import os
import re
import sys

import pytest

pytest_plugins = ["pytester"]
PLUGIN = ("-p", "no:banksim", "-p", "banksim_testkit.plugin")  # the same with an installation and without one

APP = """
import unittest
from urllib.error import HTTPError
from urllib.request import Request, urlopen
import pytest

def ask(bank):
    url = bank.base_url + "/digitalbanking/groups/v3/groups"
    headers = {"Authorization": "Bearer demo-token", "transactionId": "t-1"}
    try:
        with urlopen(Request(url, headers=headers), timeout=10) as answer:
            return answer.status
    except HTTPError as error:
        with error:
            return error.code

IDLE = {"operation": "groups.list", "when": {"nth": 2}, "then": {"status": 503}}
"""
NEVER_FIRED = "the fault fault-1 (groups.list, nth 2) never fired: 1 request matched it; if that is right, make the fault optional"
ASKED = "*GET /digitalbanking/groups/v3/groups -> 200 OK"
REQUESTS = "*- the bank's report -*"


@pytest.fixture
def run(pytester):
    """Runs a test file, and returns its result. Its traceback shows no line of the kit."""
    def in_folder(text):
        pytester.makepyfile(APP + text)
        result = pytester.runpytest_inprocess(*PLUGIN, "--strict-markers", "-p", "no:cacheprovider")
        assert not re.search(r"banksim_testkit/|urllib/|_pytest/|During handling", result.stdout.str())
        return result

    return in_folder


def test_the_marker_gives_the_scenario_and_the_seed(run):
    run("""
@pytest.mark.banksim(scenario="empty", seed=7)
class TestEmpty:
    def test_class(self, bank):
        assert bank.state()["institutions"][0]["users"] == []
        assert bank.call("GET", "")["seed"] == 7

    @pytest.mark.banksim(scenario_yaml="name: mine\\nextends: base")
    def test_method(self, bank):
        assert bank.call("GET", "")["scenario"] == "mine"

def test_default(bank):
    assert bank.call("GET", "")["scenario"] == "retail"
""").assert_outcomes(passed=3)


def test_a_wrong_marker_is_refused(run):
    result = run("""
@pytest.mark.banksim(scenrio="empty")
def test_keyword(bank): pass

@pytest.mark.banksim("empty")
def test_positional(bank): pass

@pytest.mark.banksim(scenario="retial")
def test_scenario(bank): pass
""")
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines([
        "@pytest.mark.banksim: got an unexpected keyword argument 'scenrio': "
        "it takes scenario, scenario_yaml, seed, cors, start_timeout",
        "@pytest.mark.banksim: too many positional arguments: it takes scenario, scenario_yaml, seed, cors, start_timeout",
        '*did you mean "retail"*'])


def test_a_failure_shows_the_requests(run):
    result = run("""
def test_app(bank):
    ask(bank)
    bank.verify(operation="groups.list", exactly=2)

def test_refused(bank):
    bank.inject({"operation": "groups.lst", "then": {"status": 500}})

def test_refused_by_token(bank):
    bank.token("9999")
""")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines([
        '>       bank.verify(operation="groups.list", exactly=2)', "E       AssertionError: expected requests*",
        "", "*.py:*: AssertionError",
        REQUESTS, ASKED,
        '>       bank.inject({"operation": "groups.lst"*', "E       banksim_testkit.ControlError: the faults have *",
        '*did you mean "groups.list"*',
        '>       bank.token("9999")', "E       banksim_testkit.ControlError: hostUserId is not one of *",
        REQUESTS, "the bank had no request*Does the app use base_url?"])


def test_a_setup_that_fails_shows_the_requests(run):
    result = run("""
@pytest.fixture
def signed_in(bank):
    bank.inject(IDLE)
    assert ask(bank) == 201

def test_app(signed_in): pass
""")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([">*assert ask(bank) == 201", REQUESTS, "*" + NEVER_FIRED, ASKED])


def test_a_teardown_that_fails_shows_nothing_of_a_bank_that_is_gone(run):
    result = run("""
@pytest.fixture
def signed_in(bank):
    yield
    assert ask(bank) == 201

def test_app(signed_in): pass
""")
    result.assert_outcomes(passed=1, errors=1)
    assert "the bank's report" not in result.stdout.str()


def test_a_test_that_passes_fails_if_a_fault_never_fired(run, pytester):
    result = run("""
def test_app(bank):
    bank.inject(IDLE)  # here
    assert ask(bank) == 200
""")
    result.assert_outcomes(failed=1)
    file = pytester.path / "test_a_test_that_passes_fails_if_a_fault_never_fired.py"
    line = file.read_text().partition("  # here")[0].count("\n") + 1
    result.stdout.fnmatch_lines([f"{file.name}:{line}: {NEVER_FIRED}", REQUESTS, ASKED])


def test_a_test_that_fails_before_its_fault_fails_once(run):
    result = run("""
def test_app(bank):
    bank.inject(IDLE)
    assert ask(bank) == 201

def test_skipped(bank):
    bank.inject(IDLE)
    pytest.skip("not here")

@pytest.mark.xfail(strict=True)
def test_expected(bank):
    bank.inject(IDLE)
    assert False
""")
    result.assert_outcomes(failed=1, skipped=1, xfailed=1)


def test_unittest(run):
    result = run("""
class TestApp(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def _bank(self, bank):
        self.bank = bank

    def test_passes(self):
        self.assertEqual(ask(self.bank), 200)

    def test_fails(self):
        self.bank.inject(IDLE)
        self.assertEqual(ask(self.bank), 201)

    def test_never_fired(self):
        self.bank.inject(IDLE)
        ask(self.bank)
""")
    result.assert_outcomes(passed=1, failed=2)
    assert result.stdout.str().count(NEVER_FIRED + "\n") == 2  # the report of the test that failed says it, too


def test_a_bank_that_the_test_closes(run):
    run("""
def test_app(bank):
    bank.close()

def test_with(bank):
    with bank: ask(bank)
""").assert_outcomes(passed=2)


def test_each_worker_of_xdist_has_one_simulator(pytester, monkeypatch):
    pytest.importorskip("xdist")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    pytester.makepyfile(APP + """
from banksim_testkit import simulator

@pytest.mark.parametrize("number", range(8))
def test_app(bank, number, worker_id):
    assert ask(bank) == 200
    with open(f"control-{worker_id}", "a") as file:
        print(simulator.shared(30).control.url, file=file)
""")
    pytester.runpytest_subprocess(*PLUGIN, "-n", "2", "--dist", "each").assert_outcomes(passed=16)
    started = [set((pytester.path / f"control-gw{n}").read_text().split()) for n in range(2)]
    assert [len(urls) for urls in started] == [1, 1]
    assert bool(os.environ.get("BANKSIM_CONTROL")) == (started[0] == started[1])


def test_cases_of_unittest(run):
    result = run("""
from banksim_testkit import BankTestCase

class TestApp(BankTestCase):
    bank_options = {"scenario": "empty"}

    def test_passes(self):
        self.assertEqual(self.bank.state()["institutions"][0]["users"], [])

    def test_fails(self):
        self.assertEqual(ask(self.bank), 201)

    def test_never_fired(self):
        self.bank.inject(IDLE)
        ask(self.bank)

class TestAsync(BankTestCase, unittest.IsolatedAsyncioTestCase):
    async def test_fails(self):
        self.fail("it is awaited")

with pytest.raises(TypeError, match="name BankTestCase before IsolatedAsyncioTestCase"):
    class TestOther(unittest.IsolatedAsyncioTestCase, BankTestCase): pass
""")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(["*it is awaited*"])
    assert result.stdout.str().count("the requests of the bank:") == 2


def test_each_test_of_a_session_answers_for_its_own_faults(run):
    run("""
def test_never_fired(session_bank):
    session_bank.inject(IDLE)

def test_fails(session_bank):
    session_bank.inject(IDLE)
    assert False

def test_next(session_bank):
    assert ask(session_bank) == 200
""").assert_outcomes(passed=1, failed=2)
