// Generated from the OpenAPI document of the control API by go generate ./testkit. Don't edit it.

export interface Account {
  accountId: string;
  activateEstatement: boolean;
  disclosures: Disclosure[];
  updateFails?: boolean;
}

export interface AccountPatch {
  /** Whether the account has electronic statements. */
  activateEstatement?: boolean;
  /** The new status of all disclosures of the account. */
  disclosureStatus?: "ACCEPTED" | "NOT_ACCEPTED";
  /** Whether an update of all accounts of the user fails for this one. */
  updateFails?: boolean;
}

export interface AlertAccount {
  accountExternalId?: string;
  accountId?: string;
}

export interface AlertDefault {
  additionalInfo?: Record<string, unknown>;
  alertOpted: boolean;
  alertTypeName: string;
  channelTypeName: string;
  institutionAlertPrefId: number;
}

export interface AlertDetails {
  alertPrefId: number;
  alertTypeName?: string;
  channelTypeName?: string;
  externalId?: string;
}

export interface AlertPreference {
  additionalInfo?: Record<string, unknown>;
  alertOpted?: boolean;
  alertPreferenceAccountDetails?: AlertAccount;
  alertPreferenceDetails: AlertDetails;
  allowCallback?: boolean;
  defaultPreferences?: boolean;
}

export interface AlertType {
  alertTypeName: string;
  channelsOptd: string[];
  institutionAlertTypeId: number;
  reason?: string;
  statusOptd: string;
}

export interface BankClient {
  institutionId: string;
  /** The secret key as the scenario gave it. */
  secretKey?: string;
  sharedKey: string;
}

export interface Change {
  /** null: it is not there. */
  after: Record<string, unknown> | null;
  /** null: it was not there. */
  before: Record<string, unknown> | null;
  /** Its table and its key, such as accounts/02688/1001/acc-1001-checking. */
  row: string;
}

export interface Clock {
  now: string;
  /** Whether the clock runs with real time. */
  running: boolean;
}

export interface Coverage {
  format: string;
  runs: CoverageRun[];
}

export interface CoveragePoint {
  byBank: number;
  code?: string;
  connection?: string;
  dialect: string;
  injected: number;
  kind: string;
  operation: string;
  phase?: string;
  possible: boolean;
  rule?: string;
  status?: number;
}

export interface CoverageRun {
  entries: Record<string, number> | null;
  id: string;
  other: CoveragePoint[];
  points: CoveragePoint[];
  started: string;
  version: string;
}

export interface CustomDisclosure {
  institutionDisclosureData?: string;
  institutionDisclosureDataType?: string;
  institutionDisclosureId: string;
  institutionDisclosureName: string;
}

export interface Decision {
  basis: "document" | "published" | "convention" | "choice";
  entries: string[];
  message?: string;
  outcome: "accepted" | "refused" | "faulted" | "stubbed";
  /** The row that the rule looked at, such as users/02688/1002. */
  row?: string;
  rule: string;
}

export interface Diff {
  changes: Change[];
  /** What the bank is compared with: a snapshot, or start. */
  since: string;
  /** How many rows differ. Only there if limit is given. */
  total?: number;
}

export interface Difference {
  field: string;
  got: unknown;
  want: unknown;
}

export interface Disclosure {
  institutionDisclosureName: string;
  institutionDisclosureStatus: string;
  institutionUserDisclosureStatusUpdateDateTime: string;
  paperWaiver: boolean;
}

export interface Exchange {
  at: string;
  changed: boolean;
  decision: Decision;
  dialect?: "document" | "public";
  fault?: FaultReport;
  id: string;
  lints: Lint[];
  /** Where the words of the text that was asked for were found first. */
  matched?: string[];
  operation: string;
  realAt: string;
  request: Request;
  response: Response;
  sandbox: string;
  /** The name of the control token whose call sent the request. */
  sentBy?: string;
  tookMicros: number;
  /** The hostUserId of the user that the request or its token names. */
  user?: string;
}

export interface Expectation {
  /** How many such requests there must be at least. */
  atLeast?: number;
  /** How many such requests there may be at most. */
  atMost?: number;
  /** What the body, JSON or form, must contain. A member that is null must be absent. */
  body?: Record<string, unknown>;
  /** The dialect of the answer. */
  dialect?: "document" | "public";
  /** How many such requests there must be. Default: at least one. */
  exactly?: number;
  /** The value that each header must have, or ~ and an expression, or null if it must be absent. */
  header?: Record<string, string | null>;
  /** The method of the request. */
  method?: string;
  /** A name, the beginning of names with *, such as groups.*, or ~ and an expression. */
  operation?: string;
  /** The path as it was sent, without base URL and query. */
  path?: string;
  /** Likewise for query parameters. */
  query?: Record<string, string | null>;
  /** The status of the answer. */
  status?: number;
}

export interface FaultDuring {
  /** The hours of each day in which it is open: up to the second time, which may be one of the next day. */
  daily?: string;
  /** How long it lasts, in place of until. */
  for?: string;
  /** When the window begins: so long after the sandbox's start, or a time. Default: the start. */
  from?: string;
  /** When it ends, written like from. Default: never. */
  until?: string;
  /** The time zone of these hours, by its IANA name. They are the same hours in summer and in winter time. Default: UTC. */
  zone?: string;
}

export interface FaultError {
  /** The code in the error body. Default: the one that fits best. */
  code?: string;
  /** Its message. Default: the code's own. */
  message?: string;
}

export interface FaultRate {
  /** Whose requests count together: of a client, of a user, or all. Default: all. */
  by?: "client" | "user" | "all";
  /** In how much time of the sandbox's clock. */
  per: string;
  /** How many requests pass. */
  requests: number;
}

export interface FaultReport {
  answeredBy?: string;
  bankStatus?: number;
  connection?: string;
  delayMicros: number;
  expiredBy?: string;
  fired: string[];
  phase?: "before" | "after";
  staleBy?: string;
  undocumented?: boolean;
  withoutEffect?: string[];
}

export interface FaultRequest {
  /** Members of the JSON body, nested as there. */
  body?: Record<string, unknown>;
  /** The request's dialect. */
  dialect?: "document" | "public";
  /** Headers and their values. */
  header?: Record<string, string | null>;
  /** The request's user, in quotes. */
  hostUserId?: string;
  /** The request's institution, in quotes. */
  institutionId?: string;
  /** Query parameters and their values. */
  query?: Record<string, string | null>;
}

export interface FaultRule {
  /** Where the rule comes from, such as a test's file and line. The verdict of a sandbox says it. */
  from?: string;
  /** The method of a stub. HEAD is answered as GET. Default: every method. */
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** The rule's name, in the journal. Its draws depend on it. Default: fault-1 and so on. */
  name?: string;
  /** Whether the rule is switched off. */
  off?: boolean;
  /** Where it is injected: an operation, a family such as groups.*, a list of these, or all. Default: *. */
  operation?: OperationPattern | OperationPattern[];
  /** In place of operation: the path of a stub, where the interface has nothing. {name} is any segment, and /** at the end all below. */
  path?: string;
  /** When it fires. Default: before the operation, or after it if a connection fault damages the operation's own answer. */
  phase?: "before" | "after";
  /** Whether a test has to fail if the rule never has an effect: see the verdict of a sandbox. */
  required?: boolean;
  /** What happens when it fires. */
  then: FaultThen;
  /** Which requests it fires for: all given conditions must hold. Default: every request. */
  when?: FaultWhen;
}

export interface FaultThen {
  /** The whole body: a text, or a mapping or list that is sent as JSON. */
  body?: string | Record<string, unknown> | unknown[];
  /** In place of body: its bytes in base64, such as those of a PDF. Without a Content-Type, one is guessed from them. */
  bodyBase64?: string;
  /** In place of body, in the file of a scenario: a file in its folder, or below. At most 512 KiB, all together. */
  bodyFile?: string;
  /** What happens to the connection. */
  connection?: "reset" | "close" | "hang" | "truncate" | "malformed" | "dribble" | "garbage" | FaultThenConnectionHang | FaultThenConnectionTruncate | FaultThenConnectionDribble;
  /** How long the answer is delayed. */
  delay?: string | FaultThenDelayUniform | FaultThenDelayLognormal | FaultThenDelayP50P95;
  /** Another code or message in the error body. */
  error?: FaultError;
  /** Whether the request's access token expires for good. Only delay goes with it. */
  expireToken?: boolean;
  /** The URL of a service that answers the stub's requests. */
  forward?: string | FaultThenForwardCaUrl;
  /** Headers to set in the answer: a value or a list. */
  headers?: Record<string, string | string[]>;
  /** How old the data of a reading operation is, as far as the journal reaches. Only delay goes with it. */
  stale?: string;
  /** The answer's status. From 400 on, the bank's error body comes with it. Any other needs body. */
  status?: number;
}

export interface FaultThenConnectionDribble {
  /** The answer in small pieces, by default of 16 bytes every 100ms. */
  dribble: FaultThenConnectionDribbleDribble;
}

/** The answer in small pieces, by default of 16 bytes every 100ms. */
export interface FaultThenConnectionDribbleDribble {
  /** The size of a piece in bytes. */
  bytes?: number;
  /** The pause between two pieces. */
  every?: string;
}

export interface FaultThenConnectionHang {
  /** No answer: the connection stays open until the client disconnects, or for a time (by default 30s, at most 5m), and then ends. */
  hang: string;
}

export interface FaultThenConnectionTruncate {
  /** The full Content-Length, but only so many bytes of the body, by default half of them. */
  truncate: number;
}

export interface FaultThenDelayLognormal {
  /** A distribution with a long tail, as in a busy service. */
  lognormal: FaultThenDelayLognormalLognormal;
}

/** A distribution with a long tail, as in a busy service. */
export interface FaultThenDelayLognormalLognormal {
  /** The median: half of the delays are shorter. */
  median: string;
  /** The length of the tail: the standard deviation of the logarithm. */
  sigma: number;
}

export interface FaultThenDelayP50P95 {
  /** The 50th percentile: half of the delays are shorter. */
  p50: string;
  /** The 95th percentile: 95 of 100 delays are shorter. */
  p95: string;
}

export interface FaultThenDelayUniform {
  /** Minimum and maximum: all delays between them are equally likely. */
  uniform: string[];
}

export interface FaultThenForwardCaUrl {
  /** The authorities (PEM) that are trusted in place of the system's. */
  ca?: string;
  /** The URL below which the path of the request is called. */
  url: string;
}

export interface FaultWhen {
  /** All matching requests after the Nth. */
  after?: number;
  /** A window of virtual time: times of the sandbox's clock, or counted from its start. */
  during?: FaultDuring;
  /** Every Nth matching request. */
  every?: number;
  /** The first N matching requests. */
  first?: number;
  /** Only the Nth matching request. */
  nth?: number;
  /** How likely it fires, from 0 to 1. The seed decides, so a run can be repeated. */
  probability?: number;
  /** The requests beyond a rate. */
  rate?: FaultRate;
  /** What a request must be like to match. A text that begins with ~ is a regular expression; null means absent. */
  request?: FaultRequest;
}

export interface Finding {
  /** Where the fault comes from, as its rule says. */
  from?: string;
  kind: string;
  /** The name of the fault, or the code of the lint. */
  name?: string;
  /** Which requests the fault fires for. */
  summary?: string;
  /** A sentence for a test to fail with. */
  text: string;
}

export interface ForkOrigin {
  /** The exchange after which it was forked. */
  after?: string;
  /** The exchange before which it was forked. */
  before?: string;
  /** The name of the sandbox. It may have been deleted since. */
  sandbox: string;
}

export interface Group {
  groupDescription: string;
  groupExperienceName: string;
  groupId: string;
  groupLastUpdatedDateTime: string;
  groupName: string;
  groupParticipantCount: number;
  groupStatus: string;
  /** The named participants: hostUserIds of users, fingerprints of others. */
  participants?: string[];
}

export interface Institution {
  /** The alert preferences that belong to no user. */
  alertPreferences: AlertPreference[];
  alertTypes: string[];
  /** The shared keys of the clients. */
  clients: string[];
  /** How many rows match in each list. Only there if limit is given. */
  counts?: Record<string, number>;
  groups: Group[];
  /** The alert preferences of users that have none of their own. */
  institutionAlertPreferences?: AlertDefault[];
  institutionAlertTypes?: AlertType[];
  /** The disclosures besides OLS, ESIGN and IB. */
  institutionDisclosures?: CustomDisclosure[];
  institutionId: string;
  jobs: Job[];
  multistatement: boolean;
  tokens: Token[];
  users: User[];
}

export interface InstitutionPatch {
  /** Whether one update changes all accounts of a user. */
  multistatement?: boolean;
}

export interface InstitutionRow {
  alertTypes: string[];
  /** The alert preferences of users that have none of their own. */
  institutionAlertPreferences?: AlertDefault[];
  institutionAlertTypes?: AlertType[];
  /** The disclosures besides OLS, ESIGN and IB. */
  institutionDisclosures?: CustomDisclosure[];
  institutionId: string;
  multistatement: boolean;
}

export interface Job {
  createdDateTime: string;
  errors: JobError[];
  failedRecordsCount: number;
  groupId: string;
  inputFileName: string;
  jobCreatedBy: string;
  jobDetails?: string;
  jobId: string;
  jobStatus: string;
  lastUpdatedDateTime: string;
  successRecordsCount: number;
  totalRecordsCount: number;
  type: string;
}

export interface JobError {
  errorMsg: string;
  lineNbr: number;
}

export interface Lint {
  code: string;
  message: string;
}

export interface MintedToken {
  accessToken: string;
  client: string;
  /** When the access token expires, in virtual time. */
  expiresAt: string;
  /** The user that the token is bound to. Not there: none. */
  hostUserId?: string;
  institutionId: string;
  /** The refresh token. Not there: there is none. */
  refreshToken?: string;
}

export interface NearMiss {
  differences: Difference[];
  id: string;
  operation: string;
}

export interface NewGroup {
  groupDescription?: string;
  /** The name, which no other group of the institution has. */
  groupName: string;
}

export interface NewUser {
  /** The accountIds of the user's accounts. */
  accounts?: string[];
  /** The user's id, which no other user of the institution has. */
  hostUserId: string;
  /** For password grants. Default: none. */
  username?: string;
}

export type OperationPattern = "estatements.getDisclosures" | "estatements.updateAccount" | "estatements.updateUser" | "tokens.issue" | "tokens.revoke" | "tokens.authorizeClient" | "tokens.createCode" | "groups.create" | "groups.list" | "groups.update" | "groups.delete" | "groups.uploadParticipants" | "jobs.list" | "jobs.get" | "jobs.listErrors" | "alerts.createPreference" | "alerts.listPreferences" | "alerts.getPreference" | "alerts.updatePreference" | "alerts.deletePreference" | "alerts.listInstitutionTypes" | "alerts.listInstitutionPreferences" | "disclosures.listUser" | "disclosures.createUser" | "disclosures.updateUser" | "disclosures.deleteUser" | "disclosures.listInstitution" | "users.getStatus" | "*" | "estatements.*" | "tokens.*" | "groups.*" | "jobs.*" | "alerts.*" | "disclosures.*" | "users.*";

export interface Request {
  body: string;
  bodyBytes: number;
  bodyTruncated: boolean;
  headers: Record<string, string[]>;
  /** HTTP/2. Not there: the request came by HTTP/1. */
  httpVersion?: string;
  method: string;
  path: string;
  query: Record<string, string[]>;
  url: string;
}

export interface Reset {
  /** When the sandbox was reset, in real time. */
  at: string;
  /** Who reset the sandbox: the name of a token or the address of the client, watch if the scenario's files changed, or resets at a time of day. */
  by: string;
}

export interface Resets {
  /** The time of each day, such as 04:00. */
  daily: string;
  /** The next time, in real time. */
  next: string;
  /** Its time zone, such as Europe/Berlin. Default: UTC. */
  zone?: string;
}

export interface Response {
  body: string;
  bodyBytes: number;
  bodyTruncated: boolean;
  headers: Record<string, string[]>;
  status: number;
}

export interface Sandbox {
  /** The URL to append the interface's paths to. */
  baseUrl: string;
  /** When the sandbox was created, in real time. */
  createdAt: string;
  /** When the sandbox is deleted, in real time, or null if it never is. */
  expiresAt: string | null;
  /** Whether a reset starts from the simulator's scenario, and so does a change of its files. */
  followsScenario: boolean;
  /** The sandbox that this one is a fork of, or null if it starts from a scenario. */
  forkedFrom: ForkOrigin | null;
  /** Base URLs that name the sandbox by the host, not by a path. */
  hostUrls?: string[];
  /** The base URL for https. Not there: the server speaks no https, or baseUrl is for all requests. */
  httpsUrl?: string;
  /** The last reset, or null if there was none. */
  lastReset: Reset | null;
  name: string;
  /** When the sandbox is reset by itself, or null if it never is. */
  resets: Resets | null;
  scenario: string;
  seed: number;
}

export interface Snapshot {
  name: string;
  /** The virtual time of the snapshot. */
  now: string;
  /** When the snapshot was taken, in real time. */
  takenAt: string;
}

export interface State {
  institutions: Institution[];
}

export interface Token {
  accessToken: string;
  accessTokenRevoked?: boolean;
  client: string;
  code?: string;
  expiresAt?: string;
  grantType: string;
  hostUserId?: string;
  refreshExpiresAt?: string;
  refreshToken?: string;
  revoked: boolean;
  /** The table and the key of the row, as in a diff. Only there if limit is given. */
  row?: string;
  scopes?: string[];
}

export interface User {
  accounts: Account[];
  active: boolean;
  alertPreferences: AlertPreference[];
  customerId: string;
  disclosures: Disclosure[];
  hostUserId: string;
  institutionUserId: string;
  /** What else the user status has, if the scenario gives it. */
  status?: UserStatus;
  username?: string;
}

export interface UserPatch {
  /** Whether the user can use the bank. */
  active?: boolean;
  /** The new status of all user-level disclosures. */
  disclosureStatus?: "ACCEPTED" | "NOT_ACCEPTED";
  /** Whether the user gets no tokens by password. Unlocking forgets wrong passwords. */
  locked?: boolean;
}

export interface UserStatus {
  approved?: boolean;
  failedLoginCount?: number;
  failedPasswordResetCount?: number;
  holdDateTime?: string;
  holdInitiatedBy?: string;
  holdReason?: string;
  lastLoginDateTime?: string;
  locked?: boolean;
  onHold?: boolean;
  /** The hostUserId of the primary user. Only a sub-user has one. */
  parentHostUserId?: string;
  registered?: boolean;
  rejected?: boolean;
  reset?: boolean;
}

export interface UserSummary {
  accounts: number;
  active: boolean;
  /** An older id of the user. */
  customerId: string;
  /** What the rules of the bank allow the user now, in words. */
  goodFor: string[];
  hostUserId: string;
  institutionId: string;
  /** The password as the scenario gave it. */
  password?: string;
  /** The words of goodFor in one line. */
  summary: string;
  /** At most 10 access tokens of the scenario that are valid now and reach the user. */
  tokens: string[];
  username?: string;
}

export interface Users {
  clients: BankClient[];
  /** How many users the scenario generates. */
  generated: number;
  /** How many users the bank has, or how many of them were asked for. */
  total: number;
  /** At most 200 users: first those that the scenario writes, then generated ones. */
  users: UserSummary[];
}

export interface Verdict {
  /** What the test has to fail with. */
  findings: Finding[];
  /** What may be meant so. */
  notes: Finding[];
  /** Whether there are no findings. */
  passed: boolean;
  /** How many requests the sandbox had. */
  requests: number;
}

export interface Verification {
  /** The same with the count of the bank, and with what the nearest request has instead. */
  actual?: Record<string, unknown>;
  /** The expectation, with its count. Not there: it is fulfilled, or an order. */
  expected?: Record<string, unknown>;
  matched: number;
  matches: string[];
  nearMisses: NearMiss[];
  text: string;
  verified: boolean;
}
