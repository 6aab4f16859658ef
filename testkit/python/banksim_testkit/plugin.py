"""The plugin of pytest: the fixture bank, and the marker banksim that chooses its scenario."""

from __future__ import annotations

import inspect
from typing import Any, Generator, Iterator

import pytest

from . import Bank, ControlError

_bank = pytest.StashKey[Bank]()  # of a test


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "banksim(*, scenario, scenario_yaml, seed, cors, start_timeout): "
                                       "the arguments with which the fixture bank creates the Bank of a test")


@pytest.fixture
def bank(request: pytest.FixtureRequest) -> Iterator[Bank]:
    """A new bank for the test. The marker banksim takes the arguments of Bank."""
    marker = request.node.get_closest_marker("banksim") or pytest.mark.banksim().mark
    takes = inspect.signature(Bank)
    with _Failing():
        try:
            takes.bind(*marker.args, **marker.kwargs)
        except TypeError as error:
            raise ControlError(f"@pytest.mark.banksim: {error}: it takes {', '.join(takes.parameters)}")
        new = Bank(**marker.kwargs)
    request.node.stash[_bank] = new
    yield new
    new.discard()


@pytest.fixture(scope="session")
def session_bank() -> Iterator[Bank]:
    """A bank for all tests of the session. Reset it where a test needs the start. Each test answers for its own faults."""
    with _Failing():
        new = Bank()
    yield new
    with _Failing():
        new.close()


@pytest.hookimpl(trylast=True)  # after the test, if that has passed
def pytest_runtest_call(item: pytest.Item) -> None:
    with _Failing():
        if _bank in item.stash:
            item.stash[_bank].judge()
        if "session_bank" in getattr(item, "funcargs", {}):
            item.funcargs["session_bank"].end_faults()  # type: ignore[attr-defined]


class _Failing:
    """Lets an error of the kit fail the test with its text alone, because no line of the test raised it."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (AssertionError, ControlError)):
            raise pytest.fail.Exception(str(error), pytrace=False) from None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    used = item.stash.get(_bank, None) or getattr(item, "funcargs", {}).get("session_bank")
    if report.failed and report.when != "teardown" and used:
        try:
            text = used.report(report.longreprtext)
        except Exception as error:  # the failure of the test is what matters
            text = f"the bank's requests are lost: {error}"
        report.sections.append(("the bank's report", text))
    if not report.passed and report.when != "teardown" and "session_bank" in getattr(item, "funcargs", {}):
        try:  # the next test must not meet the faults of this one
            item.funcargs["session_bank"].end_faults()  # type: ignore[attr-defined]
        except (AssertionError, ControlError):
            pass
