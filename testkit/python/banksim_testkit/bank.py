"""The bank of a test."""

from __future__ import annotations

import contextlib
import sys
import time
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Literal, Mapping, overload
from urllib.parse import quote, urlencode

from . import simulator, types
from .control import ControlError

__tracebackhide__ = True  # pytest shows the line of the test, and no line of this file

TTL = "1h"  # after which the simulator deletes the bank of a test run that was killed
RENEWAL = 600.0  # seconds after which the next call renews the TTL


class Bank:
    """A simulated bank of one test. It shares the simulator, and nothing else, with other banks.

    The first bank of the process starts the simulator, and the simulator ends with the process. If that isn't ready in
    start_timeout seconds, the bank raises a ControlError. Without a scenario the bank has the default one of the
    simulator. The same seed gives the same ids and tokens.

    As a context manager, a bank is closed at the end of the block. A block that fails prints the requests of the bank
    to stderr. If it raised an exception, its faults needn't have fired.
    """

    name: str
    base_url: str  # to which the app appends the paths of the interface
    https_url: str | None  # the same for https, or None if the simulator doesn't speak it; see ca_cert

    def __init__(
        self, *, scenario: str | None = None, scenario_yaml: str | None = None, seed: int | None = None,
        start_timeout: float = 30,
    ) -> None:
        running = simulator.shared(start_timeout)
        self._control = running.control
        self._renewed = time.monotonic()
        self._injected: dict[str, str] = {}  # by the name of a fault, the file and line of its inject
        self._open = True
        sandbox = self._control.call("POST", "/v1/sandboxes", _given(
            ttl=TTL, scenario=scenario, scenarioYaml=scenario_yaml, seed=seed))
        self.name = sandbox["name"]
        self.base_url, self.https_url = sandbox["baseUrl"], sandbox.get("httpsUrl")
        if running.service:
            self.base_url = f"{running.service}/sandboxes/{self.name}"
            self.https_url = self.base_url if self.base_url.startswith("https:") else None

    def __repr__(self) -> str:
        return f"<Bank {self.base_url}>"

    def __enter__(self) -> Bank:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self.require_fired()
        except AssertionError as unfired:
            error = unfired
            raise
        finally:
            if error is not None and self._open:
                print(f"the requests of the bank:\n{self.report()}", file=sys.stderr)
            self.discard()

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Calls the control API about this bank, as in call("GET", "/diff"), and returns the JSON or the text."""
        if time.monotonic() - self._renewed > RENEWAL:
            self._call("PATCH", "", {"ttl": TTL})
            self._renewed = time.monotonic()
        return self._call(method, path, body)

    def _call(self, method: str, path: str, body: object = None) -> Any:
        return self._control.call(method, f"/v1/sandboxes/{self.name}{path}", body)

    def ca_cert(self) -> str:
        """Returns the certificate (PEM) of the CA that clients of https_url must trust."""
        text: str = self._control.call("GET", "/ca.pem")
        return text

    def token(
        self, host_user_id: str | None = None, *, client: str | None = None, institution_id: str | None = None,
        expires_in: timedelta | str | None = None,
    ) -> str:
        """Mints an access token: for all users or for one.

        By default it is for the first client of the first institution, and lives as long as the bank's own tokens.
        """
        minted: types.Grant = self.call("POST", "/tokens", _given(
            client=client, institutionId=institution_id, hostUserId=host_user_id, expiresIn=expires_in))
        return minted["accessToken"]

    def login(
        self, host_user_id: str, *, client: str | None = None, institution_id: str | None = None,
        expires_in: timedelta | str | None = None,
    ) -> types.Grant:
        """Mints an access token and a refresh token, as if the user had logged in. The options are those of token."""
        grant: types.Grant = self.call("POST", "/tokens", _given(
            client=client, institutionId=institution_id, hostUserId=host_user_id, expiresIn=expires_in, refresh=True))
        return grant

    def inject(self, *faults: types.Fault) -> None:
        """Adds faults. Each must fire before the bank is reset or closed, and before its test ends."""
        caller = sys._getframe(1)
        added = self.call("POST", "/faults", faults)["faults"]
        self._injected.update((fault["name"], f"{caller.f_code.co_filename}:{caller.f_lineno}") for fault in added)

    def clear_faults(self) -> None:
        """Removes all faults, also those of the scenario. Raises an AssertionError if an injected one never fired."""
        self.require_fired()
        self.call("DELETE", "/faults")

    def verify(
        self, *, operation: types.Operation | None = None, status: int | None = None, method: str | None = None,
        path: str | None = None, header: types.Conditions | None = None, query: types.Conditions | None = None,
        body: Mapping[str, object] | None = None, exactly: int | None = None, at_least: int | None = None,
        at_most: int | None = None,
    ) -> None:
        """Raises an AssertionError unless the bank had such requests: at least one, or as many as the counts say.

        A request counts if all conditions hold. A text that begins with "~" is a regular expression. If the value of a
        header or a query parameter is None, it must be absent.
        """
        verdict = self.call("POST", "/journal/verify", _given(
            operation=operation, status=status, method=method, path=path, header=header, query=query, body=body,
            exactly=exactly, atLeast=at_least, atMost=at_most))
        if not verdict["verified"]:
            raise AssertionError(verdict["text"])

    def journal(self, operation: types.Operation | Literal[""] = "") -> list[types.Exchange]:
        """Returns the last thousand exchanges, the newest last: of an operation, or all."""
        query = urlencode({"limit": 1000, "q": f"operation:{operation}" if operation else ""})
        exchanges: list[types.Exchange] = self.call("GET", "/journal?" + query)["exchanges"]
        return exchanges

    def why(self, exchange: str = "newest") -> str:
        """Explains the bank's answer in the exchange with this id, or in the newest one."""
        text: str = self.call("GET", f"/journal/{_escaped(exchange)}/why?format=text")
        return text

    def report(self) -> str:
        """Returns the last 20 requests with their answers as text, for the log of a test that failed."""
        try:
            return str(self.call("GET", "/journal?format=text&limit=20"))
        except ControlError as error:
            return f"the bank's requests are lost: {error}"

    def state(self) -> types.State:
        """Returns all rows of the bank."""
        state: types.State = self.call("GET", "/state")
        return state

    @overload
    def patch(self, institution_id: str, *, multistatement: bool) -> types.InstitutionRow: ...

    @overload
    def patch(
        self, institution_id: str, host_user_id: str, *, active: bool = ...,
        disclosure_status: types.DisclosureStatus = ...,
    ) -> types.User: ...

    @overload
    def patch(
        self, institution_id: str, host_user_id: str, account_id: str, *, activate_estatement: bool = ...,
        disclosure_status: types.DisclosureStatus = ..., update_fails: bool = ...,
    ) -> types.Account: ...

    def patch(
        self, institution_id: str, host_user_id: str | None = None, account_id: str | None = None, *,
        multistatement: bool | None = None, active: bool | None = None, activate_estatement: bool | None = None,
        disclosure_status: str | None = None, update_fails: bool | None = None,
    ) -> Any:
        """Changes an institution, a user or an account past the rules of the bank, and returns the row.

        disclosure_status is for all disclosures of the user or the account.
        """
        changes = _given(multistatement=multistatement, active=active, activateEstatement=activate_estatement,
                         disclosureStatus=disclosure_status, updateFails=update_fails)
        if not changes:
            raise TypeError("patch needs a change, such as active=False")
        path = "/institutions/" + _escaped(institution_id)
        if host_user_id is not None:
            path += "/users/" + _escaped(host_user_id)
        if account_id is not None:
            path += "/accounts/" + _escaped(account_id)
        return self.call("PATCH", path, changes)

    def advance(self, duration: timedelta | str) -> datetime:
        """Moves the clock of the bank by a timedelta or a text such as "15m", and returns the new time."""
        now: str = self.call("POST", "/clock", _given(advance=duration))["now"]
        seconds, _, fraction = now.rstrip("Z").partition(".")
        return datetime.fromisoformat(f"{seconds}.{fraction[:6]:0<6}+00:00")

    def reset(self) -> None:
        """Returns bank, faults, journal and clock to the start.

        Raises an AssertionError if an injected fault never fired.
        """
        self.require_fired()
        self.call("POST", "/reset")

    def close(self) -> None:
        """Removes the bank. Raises an AssertionError if an injected fault never fired."""
        try:
            self.require_fired()
        finally:
            self.discard()

    def discard(self) -> None:
        """Removes the bank of a test that failed, whether or not its faults fired. It can be called again."""
        self._injected.clear()
        if self._open:
            self._open = False
            with contextlib.suppress(ControlError):  # the simulator deletes it later, or has ended
                self._call("DELETE", "")

    def require_fired(self) -> None:
        """Raises an AssertionError if an injected fault never fired, and forgets which ones were injected."""
        if not self._injected:
            return
        injected, self._injected = self._injected, {}
        faults = self.call("GET", "/faults")["faults"]
        idle = [fault for fault in faults if fault["name"] in injected and not fault["fired"]]
        if idle:
            raise AssertionError("\n".join(
                "{place}: fault {name} ({summary}) never fired: {requests} matched it".format(
                    place=injected[fault["name"]], requests=_counted(fault["matched"]), **fault) for fault in idle))


def _counted(requests: int) -> str:
    return "1 request" if requests == 1 else f"{requests} requests"


def _given(**members: object) -> dict[str, object]:
    """Returns the members that are not None, with lengths of time as the control API writes them."""
    return {name: f"{value // timedelta(microseconds=1)}us" if isinstance(value, timedelta) else value
            for name, value in members.items() if value is not None}


def _escaped(text: str) -> str:
    return quote(text, safe="")
