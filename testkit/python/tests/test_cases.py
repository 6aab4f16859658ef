"""The cases that every kit has to pass. Each is a test: it has to pass, or to fail with some words."""

import http.client
import json
import os
import warnings
from urllib.parse import urlsplit

import pytest

from banksim_testkit import Bank

FILE = os.environ.get("BANKSIM_CASES") or os.path.join(os.path.dirname(__file__), "../../cases.json")
with open(FILE) as text:
    CASES = json.load(text)


def send(bank, method, path, headers=None, body=None, token=False):
    """Sends a request, whose answer a fault may lose, on a connection of its own."""
    headers = {**(headers or {}), **({"Authorization": "Bearer " + bank.token()} if token else {})}
    base = urlsplit(bank.base_url)
    connection = http.client.HTTPConnection(base.hostname, base.port, timeout=30)
    try:
        connection.request(method, base.path + path, body, headers)
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        pass
    finally:
        connection.close()


def inject(bank, fault):
    fault = dict(fault)
    bank.inject(fault, optional=fault.pop("optional", False))


def arguments(expectation):
    names = {"atLeast": "at_least", "atMost": "at_most"}
    return {names.get(name, name): value for name, value in expectation.items()}


def verify(bank, expectation):
    if expectation.get("body", 0) is None:
        raise AssertionError("no case has such a body")
    bank.verify(**arguments(expectation))


STEPS = {
    "inject": inject,
    "injectNone": lambda bank, _: bank.inject(),
    "call": lambda bank, request: send(bank, **request),
    "control": lambda bank, call: bank.call(call["method"], call["path"], call.get("body")),
    "clearFaults": lambda bank, _: bank.clear_faults(),
    "reset": lambda bank, _: bank.reset(),
    "verify": verify,
    "verifyInOrder": lambda bank, expectations: bank.verify_in_order(*expectations),
    "eventually": verify,
    "noLints": lambda bank, _: bank.no_lints(),
}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case, capsys):
    error = None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            with Bank(scenario_yaml=case.get("scenarioYaml")) as bank:
                for step in case["steps"]:
                    for kind, value in step.items():
                        STEPS[kind](bank, value)
        except Exception as raised:
            error = raised
    said = "\n".join([str(error), capsys.readouterr().err, *(str(warning.message) for warning in told)])
    if "fails" not in case and error:
        raise error
    if "fails" in case:
        assert error is not None, "the test has passed"
    for words in [*case.get("fails", []), *case.get("says", [])]:
        assert words in said
