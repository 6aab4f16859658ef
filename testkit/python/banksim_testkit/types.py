"""The types of the control API, with the names of its members.

Generated from its OpenAPI document by go generate ./testkit. Don't edit it.
"""

# ruff: noqa: E501

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, Sequence, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:  # type checkers have this module, and at run time nobody reads the annotations
    from typing_extensions import NotRequired


class Account(TypedDict):
    accountId: str
    activateEstatement: bool
    disclosures: Sequence[Disclosure]
    updateFails: NotRequired[bool]


class AccountPatch(TypedDict):
    # Whether the account has electronic statements.
    activateEstatement: NotRequired[bool]
    # The new status of all disclosures of the account.
    disclosureStatus: NotRequired[Literal["ACCEPTED", "NOT_ACCEPTED"]]
    # Whether an update of all accounts of the user fails for this one.
    updateFails: NotRequired[bool]


class AlertAccount(TypedDict):
    accountExternalId: NotRequired[str]
    accountId: NotRequired[str]


class AlertDefault(TypedDict):
    additionalInfo: NotRequired[Mapping[str, Any]]
    alertOpted: bool
    alertTypeName: str
    channelTypeName: str
    institutionAlertPrefId: int


class AlertDetails(TypedDict):
    alertPrefId: int
    alertTypeName: NotRequired[str]
    channelTypeName: NotRequired[str]
    externalId: NotRequired[str]


class AlertPreference(TypedDict):
    additionalInfo: NotRequired[Mapping[str, Any]]
    alertOpted: NotRequired[bool]
    alertPreferenceAccountDetails: NotRequired[AlertAccount]
    alertPreferenceDetails: AlertDetails
    allowCallback: NotRequired[bool]
    defaultPreferences: NotRequired[bool]


class AlertType(TypedDict):
    alertTypeName: str
    channelsOptd: Sequence[str]
    institutionAlertTypeId: int
    reason: NotRequired[str]
    statusOptd: str


class BankClient(TypedDict):
    institutionId: str
    # The secret key as the scenario gave it.
    secretKey: NotRequired[str]
    sharedKey: str


class Change(TypedDict):
    # null: it is not there.
    after: Optional[Mapping[str, Any]]
    # null: it was not there.
    before: Optional[Mapping[str, Any]]
    # Its table and its key, such as accounts/02688/1001/acc-1001-checking.
    row: str


class Clock(TypedDict):
    now: str
    # Whether the clock runs with real time.
    running: bool


class Coverage(TypedDict):
    format: str
    runs: Sequence[CoverageRun]


class CoveragePoint(TypedDict):
    byBank: int
    code: NotRequired[str]
    connection: NotRequired[str]
    dialect: str
    injected: int
    kind: str
    operation: str
    phase: NotRequired[str]
    possible: bool
    rule: NotRequired[str]
    status: NotRequired[int]


class CoverageRun(TypedDict):
    entries: Optional[Mapping[str, int]]
    id: str
    other: Sequence[CoveragePoint]
    points: Sequence[CoveragePoint]
    started: str
    version: str


class CustomDisclosure(TypedDict):
    institutionDisclosureData: NotRequired[str]
    institutionDisclosureDataType: NotRequired[str]
    institutionDisclosureId: str
    institutionDisclosureName: str


class Decision(TypedDict):
    basis: Literal["document", "published", "convention", "choice"]
    entries: Sequence[str]
    message: NotRequired[str]
    outcome: Literal["accepted", "refused", "faulted", "stubbed"]
    # The row that the rule looked at, such as users/02688/1002.
    row: NotRequired[str]
    rule: str


class Diff(TypedDict):
    changes: Sequence[Change]
    # What the bank is compared with: a snapshot, or start.
    since: str
    # How many rows differ. Only there if limit is given.
    total: NotRequired[int]


class Difference(TypedDict):
    field: str
    got: Any
    want: Any


class Disclosure(TypedDict):
    institutionDisclosureName: str
    institutionDisclosureStatus: str
    institutionUserDisclosureStatusUpdateDateTime: str
    paperWaiver: bool


class Exchange(TypedDict):
    at: str
    changed: bool
    decision: Decision
    dialect: NotRequired[Literal["document", "public"]]
    fault: NotRequired[FaultReport]
    id: str
    lints: Sequence[Lint]
    # Where the words of the text that was asked for were found first.
    matched: NotRequired[Sequence[str]]
    operation: str
    realAt: str
    request: Request
    response: Response
    sandbox: str
    # The name of the control token whose call sent the request.
    sentBy: NotRequired[str]
    tookMicros: int
    # The hostUserId of the user that the request or its token names.
    user: NotRequired[str]


class Expectation(TypedDict):
    # How many such requests there must be at least.
    atLeast: NotRequired[int]
    # How many such requests there may be at most.
    atMost: NotRequired[int]
    # What the body, JSON or form, must contain. A member that is null must be absent.
    body: NotRequired[Mapping[str, Any]]
    # The dialect of the answer.
    dialect: NotRequired[Literal["document", "public"]]
    # How many such requests there must be. Default: at least one.
    exactly: NotRequired[int]
    # The value that each header must have, or ~ and an expression, or null if it must be absent.
    header: NotRequired[Mapping[str, Union[str, None]]]
    # The method of the request.
    method: NotRequired[str]
    # A name, the beginning of names with *, such as groups.*, or ~ and an expression.
    operation: NotRequired[str]
    # The path as it was sent, without base URL and query.
    path: NotRequired[str]
    # Likewise for query parameters.
    query: NotRequired[Mapping[str, Union[str, None]]]
    # The status of the answer.
    status: NotRequired[int]


FaultDuring = TypedDict("FaultDuring", {
    # The hours of each day in which it is open: up to the second time, which may be one of the next day.
    "daily": "NotRequired[str]",
    # How long it lasts, in place of until.
    "for": "NotRequired[str]",
    # When the window begins: so long after the sandbox's start, or a time. Default: the start.
    "from": "NotRequired[str]",
    # When it ends, written like from. Default: never.
    "until": "NotRequired[str]",
    # The time zone of these hours, by its IANA name. They are the same hours in summer and in winter time. Default: UTC.
    "zone": "NotRequired[str]",
})


class FaultError(TypedDict):
    # The code in the error body. Default: the one that fits best.
    code: NotRequired[str]
    # Its message. Default: the code's own.
    message: NotRequired[str]


class FaultRate(TypedDict):
    # Whose requests count together: of a client, of a user, or all. Default: all.
    by: NotRequired[Literal["client", "user", "all"]]
    # In how much time of the sandbox's clock.
    per: str
    # How many requests pass.
    requests: int


class FaultReport(TypedDict):
    answeredBy: NotRequired[str]
    bankStatus: NotRequired[int]
    connection: NotRequired[str]
    delayMicros: int
    expiredBy: NotRequired[str]
    fired: Sequence[str]
    phase: NotRequired[Literal["before", "after"]]
    staleBy: NotRequired[str]
    undocumented: NotRequired[bool]
    withoutEffect: NotRequired[Sequence[str]]


class FaultRequest(TypedDict):
    # Members of the JSON body, nested as there.
    body: NotRequired[Mapping[str, Any]]
    # The request's dialect.
    dialect: NotRequired[Literal["document", "public"]]
    # Headers and their values.
    header: NotRequired[Mapping[str, Union[str, None]]]
    # The request's user, in quotes.
    hostUserId: NotRequired[str]
    # The request's institution, in quotes.
    institutionId: NotRequired[str]
    # Query parameters and their values.
    query: NotRequired[Mapping[str, Union[str, None]]]


FaultRule = TypedDict("FaultRule", {
    # Where the rule comes from, such as a test's file and line. The verdict of a sandbox says it.
    "from": "NotRequired[str]",
    # The method of a stub. HEAD is answered as GET. Default: every method.
    "method": "NotRequired[Literal['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']]",
    # The rule's name, in the journal. Its draws depend on it. Default: fault-1 and so on.
    "name": "NotRequired[str]",
    # Whether the rule is switched off.
    "off": "NotRequired[bool]",
    # Where it is injected: an operation, a family such as groups.*, a list of these, or all. Default: *.
    "operation": "NotRequired[Union[OperationPattern, Sequence[OperationPattern]]]",
    # In place of operation: the path of a stub, where the interface has nothing. {name} is any segment, and /** at the end all below.
    "path": "NotRequired[str]",
    # When it fires. Default: before the operation, or after it if a connection fault damages the operation's own answer.
    "phase": "NotRequired[Literal['before', 'after']]",
    # Whether a test has to fail if the rule never has an effect: see the verdict of a sandbox.
    "required": "NotRequired[bool]",
    # What happens when it fires.
    "then": "FaultThen",
    # Which requests it fires for: all given conditions must hold. Default: every request.
    "when": "NotRequired[FaultWhen]",
})


class FaultThen(TypedDict):
    # The whole body: a text, or a mapping or list that is sent as JSON.
    body: NotRequired[Union[str, Mapping[str, Any], Sequence[Any]]]
    # In place of body: its bytes in base64, such as those of a PDF. Without a Content-Type, one is guessed from them.
    bodyBase64: NotRequired[str]
    # In place of body, in the file of a scenario: a file in its folder, or below. At most 512 KiB, all together.
    bodyFile: NotRequired[str]
    # What happens to the connection.
    connection: NotRequired[Union[Literal["reset", "close", "hang", "truncate", "malformed", "dribble", "garbage"], FaultThenConnectionHang, FaultThenConnectionTruncate, FaultThenConnectionDribble]]
    # How long the answer is delayed.
    delay: NotRequired[Union[str, FaultThenDelayUniform, FaultThenDelayLognormal, FaultThenDelayP50P95]]
    # Another code or message in the error body.
    error: NotRequired[FaultError]
    # Whether the request's access token expires for good. Only delay goes with it.
    expireToken: NotRequired[bool]
    # The URL of a service that answers the stub's requests.
    forward: NotRequired[Union[str, FaultThenForwardCaUrl]]
    # Headers to set in the answer: a value or a list.
    headers: NotRequired[Mapping[str, Union[str, Sequence[str]]]]
    # How old the data of a reading operation is, as far as the journal reaches. Only delay goes with it.
    stale: NotRequired[str]
    # The answer's status. From 400 on, the bank's error body comes with it. Any other needs body.
    status: NotRequired[int]


class FaultThenConnectionDribble(TypedDict):
    # The answer in small pieces, by default of 16 bytes every 100ms.
    dribble: FaultThenConnectionDribbleDribble


class FaultThenConnectionDribbleDribble(TypedDict):
    """The answer in small pieces, by default of 16 bytes every 100ms."""

    # The size of a piece in bytes.
    bytes: NotRequired[int]
    # The pause between two pieces.
    every: NotRequired[str]


class FaultThenConnectionHang(TypedDict):
    # No answer: the connection stays open until the client disconnects, or for a time (by default 30s, at most 5m), and then ends.
    hang: str


class FaultThenConnectionTruncate(TypedDict):
    # The full Content-Length, but only so many bytes of the body, by default half of them.
    truncate: int


class FaultThenDelayLognormal(TypedDict):
    # A distribution with a long tail, as in a busy service.
    lognormal: FaultThenDelayLognormalLognormal


class FaultThenDelayLognormalLognormal(TypedDict):
    """A distribution with a long tail, as in a busy service."""

    # The median: half of the delays are shorter.
    median: str
    # The length of the tail: the standard deviation of the logarithm.
    sigma: float


class FaultThenDelayP50P95(TypedDict):
    # The 50th percentile: half of the delays are shorter.
    p50: str
    # The 95th percentile: 95 of 100 delays are shorter.
    p95: str


class FaultThenDelayUniform(TypedDict):
    # Minimum and maximum: all delays between them are equally likely.
    uniform: Sequence[str]


class FaultThenForwardCaUrl(TypedDict):
    # The authorities (PEM) that are trusted in place of the system's.
    ca: NotRequired[str]
    # The URL below which the path of the request is called.
    url: str


class FaultWhen(TypedDict):
    # All matching requests after the Nth.
    after: NotRequired[int]
    # A window of virtual time: times of the sandbox's clock, or counted from its start.
    during: NotRequired[FaultDuring]
    # Every Nth matching request.
    every: NotRequired[int]
    # The first N matching requests.
    first: NotRequired[int]
    # Only the Nth matching request.
    nth: NotRequired[int]
    # How likely it fires, from 0 to 1. The seed decides, so a run can be repeated.
    probability: NotRequired[float]
    # The requests beyond a rate.
    rate: NotRequired[FaultRate]
    # What a request must be like to match. A text that begins with ~ is a regular expression; null means absent.
    request: NotRequired[FaultRequest]


Finding = TypedDict("Finding", {
    # Where the fault comes from, as its rule says.
    "from": "NotRequired[str]",
    "kind": "str",
    # The name of the fault, or the code of the lint.
    "name": "NotRequired[str]",
    # Which requests the fault fires for.
    "summary": "NotRequired[str]",
    # A sentence for a test to fail with.
    "text": "str",
})


class ForkOrigin(TypedDict):
    # The exchange after which it was forked.
    after: NotRequired[str]
    # The exchange before which it was forked.
    before: NotRequired[str]
    # The name of the sandbox. It may have been deleted since.
    sandbox: str


class Group(TypedDict):
    groupDescription: str
    groupExperienceName: str
    groupId: str
    groupLastUpdatedDateTime: str
    groupName: str
    groupParticipantCount: int
    groupStatus: str
    # The named participants: hostUserIds of users, fingerprints of others.
    participants: NotRequired[Sequence[str]]


class Institution(TypedDict):
    # The alert preferences that belong to no user.
    alertPreferences: Sequence[AlertPreference]
    alertTypes: Sequence[str]
    # The shared keys of the clients.
    clients: Sequence[str]
    # How many rows match in each list. Only there if limit is given.
    counts: NotRequired[Mapping[str, int]]
    groups: Sequence[Group]
    # The alert preferences of users that have none of their own.
    institutionAlertPreferences: NotRequired[Sequence[AlertDefault]]
    institutionAlertTypes: NotRequired[Sequence[AlertType]]
    # The disclosures besides OLS, ESIGN and IB.
    institutionDisclosures: NotRequired[Sequence[CustomDisclosure]]
    institutionId: str
    jobs: Sequence[Job]
    multistatement: bool
    tokens: Sequence[Token]
    users: Sequence[User]


class InstitutionPatch(TypedDict):
    # Whether one update changes all accounts of a user.
    multistatement: NotRequired[bool]


class InstitutionRow(TypedDict):
    alertTypes: Sequence[str]
    # The alert preferences of users that have none of their own.
    institutionAlertPreferences: NotRequired[Sequence[AlertDefault]]
    institutionAlertTypes: NotRequired[Sequence[AlertType]]
    # The disclosures besides OLS, ESIGN and IB.
    institutionDisclosures: NotRequired[Sequence[CustomDisclosure]]
    institutionId: str
    multistatement: bool


class Job(TypedDict):
    createdDateTime: str
    errors: Sequence[JobError]
    failedRecordsCount: int
    groupId: str
    inputFileName: str
    jobCreatedBy: str
    jobDetails: NotRequired[str]
    jobId: str
    jobStatus: str
    lastUpdatedDateTime: str
    successRecordsCount: int
    totalRecordsCount: int
    type: str


class JobError(TypedDict):
    errorMsg: str
    lineNbr: int


class Lint(TypedDict):
    code: str
    message: str


class MintedToken(TypedDict):
    accessToken: str
    client: str
    # When the access token expires, in virtual time.
    expiresAt: str
    # The user that the token is bound to. Not there: none.
    hostUserId: NotRequired[str]
    institutionId: str
    # The refresh token. Not there: there is none.
    refreshToken: NotRequired[str]


class NearMiss(TypedDict):
    differences: Sequence[Difference]
    id: str
    operation: str


class NewGroup(TypedDict):
    groupDescription: NotRequired[str]
    # The name, which no other group of the institution has.
    groupName: str


class NewUser(TypedDict):
    # The accountIds of the user's accounts.
    accounts: NotRequired[Sequence[str]]
    # The user's id, which no other user of the institution has.
    hostUserId: str
    # For password grants. Default: none.
    username: NotRequired[str]


OperationPattern = Literal["estatements.getDisclosures", "estatements.updateAccount", "estatements.updateUser", "tokens.issue", "tokens.revoke", "tokens.authorizeClient", "tokens.createCode", "groups.create", "groups.list", "groups.update", "groups.delete", "groups.uploadParticipants", "jobs.list", "jobs.get", "jobs.listErrors", "alerts.createPreference", "alerts.listPreferences", "alerts.getPreference", "alerts.updatePreference", "alerts.deletePreference", "alerts.listInstitutionTypes", "alerts.listInstitutionPreferences", "disclosures.listUser", "disclosures.createUser", "disclosures.updateUser", "disclosures.deleteUser", "disclosures.listInstitution", "users.getStatus", "*", "estatements.*", "tokens.*", "groups.*", "jobs.*", "alerts.*", "disclosures.*", "users.*"]


class Request(TypedDict):
    body: str
    bodyBytes: int
    bodyTruncated: bool
    headers: Mapping[str, Sequence[str]]
    # HTTP/2. Not there: the request came by HTTP/1.
    httpVersion: NotRequired[str]
    method: str
    path: str
    query: Mapping[str, Sequence[str]]
    url: str


class Reset(TypedDict):
    # When the sandbox was reset, in real time.
    at: str
    # Who reset the sandbox: the name of a token or the address of the client, watch if the scenario's files changed, or resets at a time of day.
    by: str


class Resets(TypedDict):
    # The time of each day, such as 04:00.
    daily: str
    # The next time, in real time.
    next: str
    # Its time zone, such as Europe/Berlin. Default: UTC.
    zone: NotRequired[str]


class Response(TypedDict):
    body: str
    bodyBytes: int
    bodyTruncated: bool
    headers: Mapping[str, Sequence[str]]
    status: int


class Sandbox(TypedDict):
    # The URL to append the interface's paths to.
    baseUrl: str
    # When the sandbox was created, in real time.
    createdAt: str
    # When the sandbox is deleted, in real time, or null if it never is.
    expiresAt: Optional[str]
    # Whether a reset starts from the simulator's scenario, and so does a change of its files.
    followsScenario: bool
    # The sandbox that this one is a fork of, or null if it starts from a scenario.
    forkedFrom: Optional[ForkOrigin]
    # Base URLs that name the sandbox by the host, not by a path.
    hostUrls: NotRequired[Sequence[str]]
    # The base URL for https. Not there: the server speaks no https, or baseUrl is for all requests.
    httpsUrl: NotRequired[str]
    # The last reset, or null if there was none.
    lastReset: Optional[Reset]
    name: str
    # When the sandbox is reset by itself, or null if it never is.
    resets: Optional[Resets]
    scenario: str
    seed: int


class Snapshot(TypedDict):
    name: str
    # The virtual time of the snapshot.
    now: str
    # When the snapshot was taken, in real time.
    takenAt: str


class State(TypedDict):
    institutions: Sequence[Institution]


class Token(TypedDict):
    accessToken: str
    accessTokenRevoked: NotRequired[bool]
    client: str
    code: NotRequired[str]
    expiresAt: NotRequired[str]
    grantType: str
    hostUserId: NotRequired[str]
    refreshExpiresAt: NotRequired[str]
    refreshToken: NotRequired[str]
    revoked: bool
    # The table and the key of the row, as in a diff. Only there if limit is given.
    row: NotRequired[str]
    scopes: NotRequired[Sequence[str]]


class User(TypedDict):
    accounts: Sequence[Account]
    active: bool
    alertPreferences: Sequence[AlertPreference]
    customerId: str
    disclosures: Sequence[Disclosure]
    hostUserId: str
    institutionUserId: str
    # What else the user status has, if the scenario gives it.
    status: NotRequired[UserStatus]
    username: NotRequired[str]


class UserPatch(TypedDict):
    # Whether the user can use the bank.
    active: NotRequired[bool]
    # The new status of all user-level disclosures.
    disclosureStatus: NotRequired[Literal["ACCEPTED", "NOT_ACCEPTED"]]
    # Whether the user gets no tokens by password. Unlocking forgets wrong passwords.
    locked: NotRequired[bool]


class UserStatus(TypedDict):
    approved: NotRequired[bool]
    failedLoginCount: NotRequired[int]
    failedPasswordResetCount: NotRequired[int]
    holdDateTime: NotRequired[str]
    holdInitiatedBy: NotRequired[str]
    holdReason: NotRequired[str]
    lastLoginDateTime: NotRequired[str]
    locked: NotRequired[bool]
    onHold: NotRequired[bool]
    # The hostUserId of the primary user. Only a sub-user has one.
    parentHostUserId: NotRequired[str]
    registered: NotRequired[bool]
    rejected: NotRequired[bool]
    reset: NotRequired[bool]


class UserSummary(TypedDict):
    accounts: int
    active: bool
    # An older id of the user.
    customerId: str
    # What the rules of the bank allow the user now, in words.
    goodFor: Sequence[str]
    hostUserId: str
    institutionId: str
    # The password as the scenario gave it.
    password: NotRequired[str]
    # The words of goodFor in one line.
    summary: str
    # At most 10 access tokens of the scenario that are valid now and reach the user.
    tokens: Sequence[str]
    username: NotRequired[str]


class Users(TypedDict):
    clients: Sequence[BankClient]
    # How many users the scenario generates.
    generated: int
    # How many users the bank has, or how many of them were asked for.
    total: int
    # At most 200 users: first those that the scenario writes, then generated ones.
    users: Sequence[UserSummary]


class Verdict(TypedDict):
    # What the test has to fail with.
    findings: Sequence[Finding]
    # What may be meant so.
    notes: Sequence[Finding]
    # Whether there are no findings.
    passed: bool
    # How many requests the sandbox had.
    requests: int


class Verification(TypedDict):
    # The same with the count of the bank, and with what the nearest request has instead.
    actual: NotRequired[Mapping[str, Any]]
    # The expectation, with its count. Not there: it is fulfilled, or an order.
    expected: NotRequired[Mapping[str, Any]]
    matched: int
    matches: Sequence[str]
    nearMisses: Sequence[NearMiss]
    text: str
    verified: bool
