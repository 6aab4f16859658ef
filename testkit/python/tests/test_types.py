"""What mypy says about tests that use the kit."""

import os
import sys
from typing import get_args

import pytest

from banksim_testkit.types import OperationPattern

START = """
from datetime import timedelta
from typing import Iterator

import pytest

from banksim_testkit import Bank
from banksim_testkit.types import FaultRule

LOST: FaultRule = {"operation": "groups.create", "when": {"first": 1}, "then": {"connection": "reset"}, "phase": "after"}


@pytest.mark.banksim(scenario="flaky")
def test_app(bank: Bank) -> None:
"""
USES = [
    'bank.inject(LOST, {"operation": ["groups.*", "jobs.list"], "then": {"delay": {"p50": "1ms", "p95": "2ms"}}})',
    'bank.inject({"then": {"connection": {"dribble": {"bytes": 1}}, "headers": {"A": "1", "B": ["2", "3"]}}})',
    'bank.inject({"then": {"status": 500, "body": {"a": [1]}}, "when": {"during": {"from": "0s", "for": "1m"}}})',
    'bank.inject({"path": "/v1/a", "then": {"status": 200, "body": ""}, "when": {"request": {"header": {"A": None}}}})',
    'bank.verify(operation="groups.list", header={"A": None}, body={"groupName": "a"}, at_most=2)',
    'statuses: list[int] = [exchange["response"]["status"] for exchange in bank.journal("groups.list")]',
    'names: list[str] = [group["groupName"] for group in bank.state()["institutions"][0]["groups"]]',
    'active: bool = bank.patch("02688", "1001", active=False)["active"]',
    'account: str = bank.patch("02688", "1001", "acc", disclosure_status="ACCEPTED")["accountId"]',
    'bank.token(expires_in=timedelta(minutes=1)), bank.login("1001", expires_in="1m")["refreshToken"]',
    'bank.advance(timedelta(minutes=1)).isoformat()',
    'bank.verify(operation="groups.list", within=timedelta(seconds=2))',
    'bank.verify_in_order({"operation": "groups.create"}, {"operation": "groups.list", "status": 200})',
    'rows: list[str] = [change["row"] for change in bank.diff(bank.snapshot())]',
    'bank.set_clock(bank.now())',
    'bank.fork().close()',
    'status: str = bank.token_status(bank.token())',
    'bank.new_user("02688", "7", accounts=["a"])["hostUserId"], bank.new_group("02688", "a")["groupId"]',
    'bank.close()',
]
MISTAKES = {
    'bank.inject({"wen": {"first": 1}, "then": {"status": 500}})': 'Extra key "wen" for TypedDict "FaultRule"',
    'bank.inject({"then": {"staus": 500}})': 'Extra key "staus" for TypedDict "FaultThen"',
    'bank.inject({"when": {"first": 1}})': 'Missing key "then" for TypedDict "FaultRule"',
    'bank.inject({"when": {"frist": 1}, "then": {"status": 500}})': 'Extra key "frist" for TypedDict "FaultWhen"',
    'bank.inject({"then": {"status": "500"}})': 'expression has type "str", TypedDict item "status" has type "int"',
    'bank.inject({"operation": "groups.lst", "then": {"status": 500}})': '"operation"',
    'bank.inject({"phase": "later", "then": {"status": 500}})': '"phase"',
    'bank.verify(operation="groups.lst")': '"operation"',
    'bank.verify(atLeast=1)': 'Unexpected keyword argument "atLeast"',
    'bank.patch("02688", active=False)': "overload",
    'bank.patch("02688", "1001", disclosure_status="NO")': "overload",
    'bank.journal()[0]["respnse"]': '"Exchange" has no key "respnse"',
    'Bank(scenarioYaml="")': 'Unexpected keyword argument "scenarioYaml"',
}


def mypy(*arguments):
    """Returns the output of mypy, its messages about itself, and its exit code. Without mypy, it skips the test."""
    return pytest.importorskip("mypy.api").run(["--strict", "--python-version=3.9", *arguments])


def check(tmp_path, monkeypatch, lines):
    """Returns what mypy says about a test with these lines."""
    file = tmp_path / "test_app.py"
    file.write_text(START + "".join(f"    {line}\n" for line in lines))
    monkeypatch.setenv("MYPYPATH", os.path.dirname(os.path.dirname(__file__)))
    monkeypatch.chdir(tmp_path)
    said, failed, _ = mypy("--no-error-summary", file.name)
    assert failed == "", failed
    return said


def error_of(said, line):
    """Returns the error of the line with this number after START."""
    begin = f"test_app.py:{START.count(chr(10)) + 1 + line}: error: "
    return next((text for text in said.splitlines() if text.startswith(begin)), "no error")


def test_mypy_accepts_each_use(tmp_path, monkeypatch):
    assert check(tmp_path, monkeypatch, USES) == ""


def test_mypy_refuses_each_mistake(tmp_path, monkeypatch):
    said = check(tmp_path, monkeypatch, MISTAKES)
    for line, (mistake, error) in enumerate(MISTAKES.items()):
        assert error in error_of(said, line), mistake


def test_mypy_accepts_the_package(monkeypatch):
    monkeypatch.chdir(os.path.dirname(os.path.dirname(__file__)))
    assert mypy("banksim_testkit")[2] == 0


def test_the_operations_are_those_of_the_interface(bank):
    operations = [operation["name"] for operation in bank._control.call("GET", "/v1/operations")["operations"]]
    families = {name.partition(".")[0] + ".*" for name in operations}
    assert sorted(get_args(OperationPattern)) == sorted({*operations, *families, "*"})
