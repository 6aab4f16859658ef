"""The bank of a test."""

from __future__ import annotations

import os
import sys
import time
import warnings
from datetime import datetime, timedelta, timezone
from types import TracebackType
from typing import Any, Literal, Mapping, overload
from urllib.parse import quote, urlencode

from . import simulator, types
from .control import CALL_TIMEOUT, ControlError

__tracebackhide__ = True  # pytest shows the line of the test, and no line of this file

TTL = "1h"  # after which the simulator deletes the bank of a test run that was killed
RENEWAL = 600.0  # seconds after which the next call renews the TTL
LONGEST_WAIT = 120.0  # seconds that a call waits for requests
NAMES_IN_URL = 100  # as many names of faults as a URL has room for

DisclosureStatus = Literal["ACCEPTED", "NOT_ACCEPTED"]

_explored: Bank | None = None  # the bank that a test has while banksim explore runs the tests


class Bank:
    """A simulated bank of one test. It shares the simulator, and nothing else, with other banks.

    The first bank of the process starts the simulator, and the simulator ends with the process. If the simulator isn't
    ready in start_timeout seconds, the bank raises a ControlError. If nobody calls a bank for an hour, it is removed.
    Without a scenario the bank has the default one of the simulator. The same seed gives the same ids and tokens. cors
    lists the origins whose pages may read the answers.

    As a context manager, a bank is closed at the end of the block. A block that fails prints the report of the bank to
    stderr. If it raised an exception, its faults needn't have had an effect.
    """

    name: str
    base_url: str  # to which the app appends the paths of the interface
    https_url: str | None  # the same for https, or None if the simulator doesn't speak it; see ca_cert

    def __init__(
        self, *, scenario: str | None = None, scenario_yaml: str | None = None, seed: int | None = None,
        cors: list[str] | None = None, start_timeout: float = 30,
    ) -> None:
        self._plan = _given(scenario=scenario, scenarioYaml=scenario_yaml, seed=seed, cors=cors)
        self._since = "0"  # the newest exchange that the test doesn't see
        self._injected: list[str] = []  # the names of faults
        self._snapshots: list[str] = []
        self._forks: list[Bank] = []
        self._is_fork = False  # then it ends with the bank that it was made from
        self._open = True
        self._service: str | None = None  # the URL at which the app reaches the simulator, if another than it says
        running = simulator.shared(start_timeout)
        self._control, self._is_explored = running.control, running.explored is not None
        if running.explored:
            self.name, self.base_url, self.https_url = running.explored.name, running.explored.base_url, None
            self._explore()
            return
        self._renewed = time.monotonic()
        self._service = running.service
        self._set_addresses(self._control.call("POST", "/v1/sandboxes", dict(self._plan, ttl=TTL)))

    def _set_addresses(self, sandbox: dict[str, Any]) -> None:
        self.name = sandbox["name"]
        self.base_url, self.https_url = sandbox["baseUrl"], sandbox.get("httpsUrl")
        if self._service:
            self.base_url = f"{self._service}/sandboxes/{self.name}"
            self.https_url = self.base_url if self.base_url.startswith("https:") else None

    def _explore(self) -> None:
        """Takes the explored bank. All tests use it, one after another, and each finds it at its start. So the calls of
        all tests are counted together."""
        global _explored
        if _explored:
            raise ControlError("banksim explore runs the tests with one bank at a time, and another test's is open: run "
                               "pytest without -n and without session_bank, and close each bank")
        _explored = self
        try:
            self._begin()
        except BaseException:
            _explored = None
            raise

    def _begin(self) -> None:
        self.call("POST", "/begin", self._plan)
        newest = self.call("GET", "/journal?limit=1")["exchanges"]
        self._since = newest[0]["id"] if newest else "0"

    def __repr__(self) -> str:
        return f"<Bank {self.base_url}>"

    def __enter__(self) -> Bank:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self.judge()
        except AssertionError as failed:
            error = failed
            raise
        finally:
            if error is not None and self._open:
                print(self.report(str(error)), file=sys.stderr)
            self.discard()

    @property
    def control_url(self) -> str:
        """The URL of the bank in the control API."""
        return f"{self._control.url}/v1/sandboxes/{self.name}"

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Calls the control API about this bank, as in call("GET", "/keys"), and returns the JSON or the text.

        Raises an AssertionError if that is a verdict or a verification that failed.
        """
        if not self._open:
            raise ControlError("the bank is closed")
        if not (self._is_explored or self._is_fork) and time.monotonic() - self._renewed > RENEWAL:
            self._call("PATCH", "", {"ttl": TTL})
            self._renewed = time.monotonic()
        answer = self._call(method, path, body)
        if isinstance(answer, dict):
            if answer.get("verified") is False:
                raise AssertionError(answer["text"])
            if answer.get("passed") is False:
                raise AssertionError("\n".join(finding["text"] for finding in answer["findings"]))
        return answer

    def _call(self, method: str, path: str, body: object = None) -> Any:
        waits = isinstance(body, dict) and "within" in body
        return self._control.call(method, f"/v1/sandboxes/{self.name}{path}", body,
                                  CALL_TIMEOUT + (LONGEST_WAIT if waits else 0))

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
        minted: types.MintedToken = self.call("POST", "/tokens", _given(
            client=client, institutionId=institution_id, hostUserId=host_user_id, expiresIn=expires_in))
        return minted["accessToken"]

    def login(
        self, host_user_id: str, *, client: str | None = None, institution_id: str | None = None,
        expires_in: timedelta | str | None = None,
    ) -> types.MintedToken:
        """Mints an access token and a refresh token, as if the user had logged in. The options are those of token."""
        if not host_user_id:
            raise TypeError("login: the host_user_id is missing")
        minted: types.MintedToken = self.call("POST", "/tokens", _given(
            client=client, institutionId=institution_id, hostUserId=host_user_id, expiresIn=expires_in, refresh=True))
        return minted

    def token_status(self, token: str) -> str:
        """Returns what became of an access or refresh token: active, expired, revoked or unknown."""
        status: str = self.call("POST", "/token-status", {"token": token})["status"]
        return status

    def inject(self, *faults: types.FaultRule, optional: bool = False) -> None:
        """Adds faults. Each must have an effect before the bank is reset or closed, and before its test ends, unless it
        is optional."""
        caller = sys._getframe(1)
        place = f"{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}"
        required = [{"from": place, "required": not optional, **fault} for fault in faults]
        self._injected += [fault["name"] for fault in self.call("POST", "/faults", required)["faults"]]

    def clear_faults(self) -> None:
        """Removes all faults, also those of the scenario. Raises an AssertionError if an injected one had no effect."""
        self._end_faults("DELETE", "/faults")

    def _end_faults(self, method: str, path: str) -> None:
        """Ends the faults by a call. Of the explored bank, it removes only those of the test."""
        if self._is_explored:
            self.end_faults()
        else:
            self._injected = []
            self.call(method, path + "?verdict=true")

    def end_faults(self) -> None:
        """Removes the injected faults alone. Raises an AssertionError if one had no effect."""
        names, self._injected = self._injected, []
        self._remove_faults(names)

    def _remove_faults(self, names: list[str]) -> None:
        """Removes faults of a bank that several tests use, and raises the first error."""
        errors = []
        for i in range(0, len(names), NAMES_IN_URL):
            try:
                self.call("DELETE", "/faults?verdict=true&name=" + ",".join(names[i:i + NAMES_IN_URL]))
            except (AssertionError, ControlError) as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def verify(
        self, *, operation: types.OperationPattern | None = None,
        dialect: Literal["document", "public"] | None = None, status: int | None = None, method: str | None = None,
        path: str | None = None, header: Mapping[str, str | None] | None = None,
        query: Mapping[str, str | None] | None = None, body: Mapping[str, object] | None = None,
        exactly: int | None = None, at_least: int | None = None, at_most: int | None = None,
        within: timedelta | str | None = None,
    ) -> None:
        """Raises an AssertionError unless the bank had such requests: at least one, or as many as the counts say.

        A request counts if all conditions hold. A text that begins with "~" is a regular expression. If the value of a
        header or a query parameter is None, it must be absent. With within, such as "2s" and at most 2m, it waits for the
        requests.
        """
        self.call("POST", "/journal/verify", _given(
            operation=operation, dialect=dialect, status=status, method=method, path=path, header=header, query=query,
            body=body, exactly=exactly, atLeast=at_least, atMost=at_most, within=within, after=self._since))

    def verify_in_order(self, *expectations: types.Expectation) -> None:
        """Raises an AssertionError unless the bank had a request for each expectation, in this order."""
        self.call("POST", "/journal/verify", {"inOrder": expectations, "after": self._since})

    def no_lints(self) -> None:
        """Raises an AssertionError if a request was odd, though that had no influence on its answer."""
        lints = [finding["text"] for finding in self._verdict(lints="refuse")["findings"] if finding["kind"] == "lint"]
        if lints:
            raise AssertionError("\n".join(lints))

    def _verdict(self, **query: str) -> types.Verdict:
        """Returns what the bank says of the test so far. Of the explored bank, it is about the test's own faults."""
        verdict: types.Verdict = self._call("GET", "/verdict?" + urlencode({"after": self._since, **query}))

        def is_own(finding: types.Finding) -> bool:
            return not finding["kind"].startswith("fault-") or finding.get("name") in self._injected

        if self._is_explored:
            verdict["findings"] = [finding for finding in verdict["findings"] if is_own(finding)]
            verdict["notes"] = [finding for finding in verdict["notes"] if is_own(finding)]
        return verdict

    def journal(self, operation: types.OperationPattern | Literal[""] = "") -> list[types.Exchange]:
        """Returns the last thousand exchanges, the newest last: of an operation, or all."""
        query = urlencode({"limit": 1000, "q": f"operation:{operation}" if operation else ""})
        exchanges: list[types.Exchange] = self.call("GET", "/journal?" + query)["exchanges"]
        return [exchange for exchange in exchanges if int(exchange["id"]) > int(self._since)]

    def why(self, exchange: str = "newest") -> str:
        """Explains the bank's answer in the exchange with this id, or in the newest one."""
        text: str = self.call("GET", f"/journal/{_escaped(exchange)}/why?format=text")
        return text

    def report(self, known: str = "") -> str:
        """Returns what the bank says of the test beyond a known text, and its last 20 requests with their answers."""
        if not self._open:  # the test itself has closed it
            return ""
        try:
            verdict = self._verdict()
            lines = [finding["text"] + (". Does the app use base_url?" if finding["kind"] == "no-request" else "")
                     for finding in (*verdict["findings"], *verdict["notes"]) if finding["text"] not in known]
            if verdict["requests"]:
                requests = self._call("GET", f"/journal?format=text&limit={min(verdict['requests'], 20)}")
                lines.append(f"the requests of the bank:\n{requests}")
        except ControlError as error:
            return f"the bank's requests are lost: {error}"
        return "\n".join(lines)

    def state(self) -> types.State:
        """Returns all rows of the bank."""
        state: types.State = self.call("GET", "/state")
        return state

    @overload
    def patch(self, institution_id: str, *, multistatement: bool) -> types.InstitutionRow: ...

    @overload
    def patch(
        self, institution_id: str, host_user_id: str, *, active: bool = ..., locked: bool = ...,
        disclosure_status: DisclosureStatus = ...,
    ) -> types.User: ...

    @overload
    def patch(
        self, institution_id: str, host_user_id: str, account_id: str, *, activate_estatement: bool = ...,
        disclosure_status: DisclosureStatus = ..., update_fails: bool = ...,
    ) -> types.Account: ...

    def patch(
        self, institution_id: str, host_user_id: str | None = None, account_id: str | None = None, *,
        multistatement: bool | None = None, active: bool | None = None, locked: bool | None = None,
        activate_estatement: bool | None = None, disclosure_status: str | None = None,
        update_fails: bool | None = None,
    ) -> Any:
        """Changes an institution, a user or an account past the rules of the bank, and returns the row.

        disclosure_status, ACCEPTED or NOT_ACCEPTED, is for all disclosures of the user or the account.
        """
        path = "/institutions/" + _escaped(institution_id)
        if host_user_id is not None:
            path += "/users/" + _escaped(host_user_id)
        if account_id is not None:
            path += "/accounts/" + _escaped(account_id)
        return self.call("PATCH", path, _given(
            multistatement=multistatement, active=active, locked=locked, activateEstatement=activate_estatement,
            disclosureStatus=disclosure_status, updateFails=update_fails))

    def new_user(
        self, institution_id: str, host_user_id: str, *, username: str | None = None, accounts: list[str] | None = None,
    ) -> types.User:
        """Adds an active user that has accepted all disclosures, and returns it."""
        user: types.User = self.call("POST", f"/institutions/{_escaped(institution_id)}/users", _given(
            hostUserId=host_user_id, username=username, accounts=accounts))
        return user

    def new_group(self, institution_id: str, name: str, *, description: str | None = None) -> types.Group:
        """Adds a group without participants, and returns it."""
        group: types.Group = self.call("POST", f"/institutions/{_escaped(institution_id)}/groups", _given(
            groupName=name, groupDescription=description))
        return group

    def snapshot(self) -> str:
        """Saves the bank and its clock, and returns a name for restore and diff. A bank has 100 at most."""
        name = f"test-{len(self._snapshots) + 1}"
        self.call("POST", "/snapshots", {"name": name})
        self._snapshots.append(name)
        return name

    def restore(self, snapshot: str) -> None:
        """Returns the bank and its clock to a snapshot. Faults and journal stay."""
        self.call("POST", f"/snapshots/{_escaped(snapshot)}/restore")

    def diff(self, snapshot: str = "start") -> list[types.Change]:
        """Returns the rows that differ from a snapshot or, without one, from the start."""
        changes: list[types.Change] = self.call("GET", "/diff?since=" + _escaped(snapshot))["changes"]
        return changes

    def fork(self) -> Bank:
        """Returns another bank that starts as this one is now, without injected faults. It is closed with this one, at
        the latest."""
        other = object.__new__(Bank)
        other.__dict__.update(
            self.__dict__, _injected=[], _snapshots=[], _forks=[], _since="0", _is_explored=False, _is_fork=True)
        other._set_addresses(self.call("POST", "/fork"))
        self._forks.append(other)
        return other

    def now(self) -> datetime:
        """Returns the time that the clock of the bank shows."""
        return _time(self.call("GET", "/clock")["now"])

    def set_clock(self, to: datetime) -> None:
        """Sets the clock of the bank to a time, which has a time zone."""
        if to.tzinfo is None:
            raise TypeError("set_clock needs a time with a time zone, such as datetime.now(timezone.utc)")
        self.call("POST", "/clock", {"set": to.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")})

    def advance(self, duration: timedelta | str) -> datetime:
        """Moves the clock of the bank by a timedelta or a text such as "15m", and returns the new time."""
        return _time(self.call("POST", "/clock", _given(advance=duration))["now"])

    def coverage(self) -> types.Coverage:
        """Returns which answers of the interface the bank has given, and how often."""
        coverage: types.Coverage = self._control.call("GET", "/v1/coverage?sandbox=" + self.name)
        return coverage

    def reset(self) -> None:
        """Returns bank, faults, journal and clock to the start.

        Raises an AssertionError if an injected fault had no effect.
        """
        try:
            self._end_faults("POST", "/reset")
        finally:
            if self._is_explored:
                self._begin()

    def judge(self) -> None:
        """Raises an AssertionError if an injected fault has had no effect so far. Warns of what may be meant so."""
        if not self._open:
            return
        for fork in self._forks:
            fork.judge()
        verdict = self._verdict()
        if verdict["findings"]:
            raise AssertionError("\n".join(finding["text"] for finding in verdict["findings"]))
        for note in verdict["notes"]:
            if note["kind"] != "no-request":
                warnings.warn(f"banksim: {note['text']}", stacklevel=2)

    def close(self) -> None:
        """Removes the bank. Raises an AssertionError, with the report, if an injected fault had no effect."""
        try:
            self.judge()
        except AssertionError as failed:
            raise AssertionError(f"{failed}\n\n{self.report(str(failed))}") from None
        finally:
            self.discard()

    def discard(self) -> None:
        """Removes the bank of a test that failed, whatever became of its faults. It can be called again."""
        global _explored
        if not self._open:
            return
        for fork in self._forks:
            fork.discard()
        try:
            if not self._is_explored:
                self._call("DELETE", "")
                return
            _explored = None
            for name in self._snapshots:
                self._call("DELETE", "/snapshots/" + name)
            self._remove_faults(self._injected)
        except (ControlError, AssertionError):
            pass  # the simulator deletes it later, or has ended; close has told the verdict
        finally:
            self._open = False


def _given(**members: object) -> dict[str, object]:
    """Returns the members that are not None, with lengths of time as the control API writes them."""
    return {name: f"{value // timedelta(microseconds=1)}us" if isinstance(value, timedelta) else value
            for name, value in members.items() if value is not None}


def _time(text: str) -> datetime:
    seconds, _, fraction = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(f"{seconds}.{fraction[:6]:0<6}+00:00")


def _escaped(text: str) -> str:
    return quote(text, safe="")
