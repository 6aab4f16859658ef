"""The types of faults, of exchanges and of the rows of a bank.

The members have the names of the control API. A fault is a rule of a scenario: docs/faults.md describes its members.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, Sequence, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:  # type checkers have this module, and at run time nobody reads the annotations
    from typing_extensions import NotRequired

# An operation, all of a family, or all.
Operation = Literal[
    "alerts.createPreference", "alerts.deletePreference", "alerts.getPreference", "alerts.listInstitutionPreferences",
    "alerts.listInstitutionTypes", "alerts.listPreferences", "alerts.updatePreference", "alerts.*",
    "disclosures.createUser", "disclosures.deleteUser", "disclosures.listInstitution", "disclosures.listUser",
    "disclosures.updateUser", "disclosures.*",
    "estatements.getDisclosures", "estatements.updateAccount", "estatements.updateUser", "estatements.*",
    "groups.create", "groups.delete", "groups.list", "groups.update", "groups.uploadParticipants", "groups.*",
    "jobs.get", "jobs.list", "jobs.listErrors", "jobs.*",
    "tokens.authorizeClient", "tokens.createCode", "tokens.issue", "tokens.revoke", "tokens.*",
    "users.getStatus", "users.*",
    "*",
]  # fmt: skip

# Conditions for headers or query parameters. "~" begins a regular expression, and None means absent.
Conditions = Mapping[str, Optional[str]]

DisclosureStatus = Literal["ACCEPTED", "NOT_ACCEPTED"]


class RequestMatcher(TypedDict, total=False):
    """Conditions for a request. All must hold."""

    dialect: Literal["document", "public"]
    institutionId: str
    hostUserId: str
    header: Conditions
    query: Conditions
    body: Mapping[str, object]


# A window of virtual time. Its members are a length such as "5m", or a time of the bank's clock.
During = TypedDict("During", {"from": str, "until": str, "for": str}, total=False)


class When(TypedDict, total=False):
    """The requests for which a fault fires. All conditions must hold."""

    first: int
    nth: int
    every: int
    after: int
    probability: float
    during: During
    request: RequestMatcher


class UniformDelay(TypedDict):
    """A delay between two lengths."""

    uniform: list[str] | tuple[str, str]


class PercentileDelay(TypedDict):
    """A delay with a long tail, by its median and its 95th percentile."""

    p50: str
    p95: str


class Lognormal(TypedDict):
    """The parameters of a lognormal distribution."""

    median: str
    sigma: float


class LognormalDelay(TypedDict):
    """A delay with a long tail, by its parameters."""

    lognormal: Lognormal


# A length such as "250ms", or how to draw one.
Delay = Union[str, UniformDelay, PercentileDelay, LognormalDelay]


class Hang(TypedDict):
    """Keeps the connection open without an answer for a time such as "10s"."""

    hang: str


class Truncate(TypedDict):
    """Sends only so many bytes of the body."""

    truncate: int


class Pieces(TypedDict, total=False):
    """The size of pieces, and the time between them."""

    bytes: int
    every: str


class Dribble(TypedDict):
    """Sends the answer in small pieces."""

    dribble: Pieces


# What happens to the connection.
Connection = Union[
    Literal["reset", "close", "hang", "truncate", "malformed", "dribble", "garbage"], Hang, Truncate, Dribble]


class FaultError(TypedDict, total=False):
    """Another code or message in the error body."""

    code: str
    message: str


class Service(TypedDict):
    """Another service, and the PEM of the authorities that are trusted for it."""

    url: str
    ca: NotRequired[str]


class Then(TypedDict, total=False):
    """The effect of a fault."""

    status: int
    error: FaultError
    body: str | Mapping[str, object] | list[Any]
    forward: str | Service
    headers: Mapping[str, str | list[str]]
    delay: Delay
    connection: Connection
    expireToken: bool


class Fault(TypedDict):
    """A fault: its operations, the requests for which it fires, and its effect."""

    then: Then
    name: NotRequired[str]
    operation: NotRequired[Operation | Sequence[Operation]]
    method: NotRequired[str]
    path: NotRequired[str]
    when: NotRequired[When]
    phase: NotRequired[Literal["before", "after"]]
    off: NotRequired[bool]


class Request(TypedDict):
    """The request of an exchange."""

    method: str
    url: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, list[str]]
    body: str
    bodyBytes: int
    bodyTruncated: bool
    httpVersion: NotRequired[str]


class Response(TypedDict):
    """The answer of an exchange. Its status is 0 if a fault lost the answer."""

    status: int
    headers: dict[str, list[str]]
    body: str
    bodyBytes: int
    bodyTruncated: bool


class Decision(TypedDict):
    """Why the bank answered as it did."""

    outcome: Literal["accepted", "refused", "faulted", "stubbed"]
    rule: str
    basis: Literal["document", "published", "convention", "choice"]
    entries: list[str]
    row: NotRequired[str]
    message: NotRequired[str]


class Fired(TypedDict):
    """The effect of faults on an exchange."""

    fired: list[str]
    delayMicros: int
    answeredBy: NotRequired[str]
    phase: NotRequired[Literal["before", "after"]]
    connection: NotRequired[str]
    bankStatus: NotRequired[int]
    expiredBy: NotRequired[str]
    undocumented: NotRequired[bool]


class Lint(TypedDict):
    """An oddity of a request that didn't change the answer."""

    code: str
    message: str


class Exchange(TypedDict):
    """A request, its answer, and the reason for the answer."""

    id: str
    sandbox: str
    operation: str
    at: str
    realAt: str
    tookMicros: int
    request: Request
    response: Response
    decision: Decision
    changed: bool
    lints: list[Lint]
    dialect: NotRequired[Literal["document", "public"]]
    fault: NotRequired[Fired]


class Grant(TypedDict):
    """The tokens of a login, in clear text."""

    accessToken: str
    refreshToken: str
    expiresAt: str
    client: str
    hostUserId: NotRequired[str]


class Disclosure(TypedDict):
    """A disclosure of a user or an account."""

    institutionDisclosureName: str
    institutionDisclosureStatus: str
    institutionUserDisclosureStatusUpdateDateTime: str
    paperWaiver: bool


class Account(TypedDict):
    """An account of a user."""

    accountId: str
    activateEstatement: bool
    disclosures: list[Disclosure]
    updateFails: NotRequired[bool]


class AlertAccount(TypedDict, total=False):
    """The account of an alert preference."""

    accountExternalId: str
    accountId: str


class AlertDetails(TypedDict):
    """The subject of an alert preference."""

    alertPrefId: int
    alertTypeName: NotRequired[str]
    channelTypeName: NotRequired[str]
    externalId: NotRequired[str]


class AlertPreference(TypedDict):
    """An alert preference. A member that its request left out is missing."""

    alertPreferenceDetails: AlertDetails
    additionalInfo: NotRequired[Any]
    alertOpted: NotRequired[bool]
    alertPreferenceAccountDetails: NotRequired[AlertAccount]
    allowCallback: NotRequired[bool]
    defaultPreferences: NotRequired[bool]


class UserStatus(TypedDict, total=False):
    """The status of a user beyond active."""

    parentHostUserId: str
    onHold: bool
    locked: bool
    reset: bool
    registered: bool
    approved: bool
    rejected: bool
    failedLoginCount: int
    failedPasswordResetCount: int
    lastLoginDateTime: str
    holdDateTime: str
    holdReason: str
    holdInitiatedBy: str


class User(TypedDict):
    """A user with the rows that belong to the user."""

    hostUserId: str
    active: bool
    disclosures: list[Disclosure]
    institutionUserId: str
    customerId: str
    username: NotRequired[str]
    status: NotRequired[UserStatus]
    accounts: list[Account]
    alertPreferences: list[AlertPreference]


class Token(TypedDict):
    """An access token and its refresh token, as fingerprints."""

    accessToken: str
    client: str
    grantType: str
    revoked: bool
    code: NotRequired[str]
    refreshToken: NotRequired[str]
    hostUserId: NotRequired[str]
    accessTokenRevoked: NotRequired[bool]
    expiresAt: NotRequired[str]
    refreshExpiresAt: NotRequired[str]


class Group(TypedDict):
    """A group of an institution."""

    groupId: str
    groupName: str
    groupDescription: str
    groupLastUpdatedDateTime: str
    groupParticipantCount: int
    groupExperienceName: str
    groupStatus: str
    participants: NotRequired[list[str]]


class JobError(TypedDict):
    """An error in a line of a job's file."""

    lineNbr: int
    errorMsg: str


class Job(TypedDict):
    """A job that imports participants into a group."""

    jobId: str
    groupId: str
    type: str
    inputFileName: str
    jobStatus: str
    jobCreatedBy: str
    totalRecordsCount: int
    successRecordsCount: int
    failedRecordsCount: int
    createdDateTime: str
    lastUpdatedDateTime: str
    errors: list[JobError]
    jobDetails: NotRequired[str]


class CustomDisclosure(TypedDict):
    """A disclosure of an institution beyond OLS, ESIGN and IB."""

    institutionDisclosureId: str
    institutionDisclosureName: str
    institutionDisclosureData: NotRequired[str]
    institutionDisclosureDataType: NotRequired[str]


class AlertType(TypedDict):
    """An alert type of an institution."""

    institutionAlertTypeId: int
    alertTypeName: str
    channelsOptd: list[str]
    statusOptd: str
    reason: NotRequired[str]


class AlertDefault(TypedDict):
    """An alert preference of an institution."""

    institutionAlertPrefId: int
    alertTypeName: str
    channelTypeName: str
    alertOpted: bool
    additionalInfo: NotRequired[Any]


class InstitutionRow(TypedDict):
    """An institution, without the rows that belong to it."""

    institutionId: str
    multistatement: bool
    alertTypes: list[str]
    institutionAlertTypes: NotRequired[list[AlertType]]
    institutionAlertPreferences: NotRequired[list[AlertDefault]]
    institutionDisclosures: NotRequired[list[CustomDisclosure]]


class Institution(InstitutionRow):
    """An institution with the rows that belong to it."""

    clients: list[str]
    users: list[User]
    tokens: list[Token]
    groups: list[Group]
    jobs: list[Job]
    alertPreferences: list[AlertPreference]


class State(TypedDict):
    """All rows of a bank. Secrets are missing, or are fingerprints."""

    institutions: list[Institution]
