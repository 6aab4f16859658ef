/// <reference lib="esnext.disposable" />

/** Bank is a simulated bank of one test. */
export class Bank {
  private constructor();

  /** start returns a new bank. The simulator starts with the first one of the process, and ends with the process. */
  static start(plan?: Plan): Promise<Bank>;

  /** The name of the bank's sandbox. */
  readonly name: string;
  /** The URL that the app appends the interface's paths to, without a slash at its end. */
  readonly baseUrl: string;
  /** The same for https, see caCert. A simulator that runs already may have none. */
  readonly httpsUrl: string | undefined;

  /** caCert returns the certificate, as PEM, that clients of httpsUrl have to trust. */
  caCert(): Promise<string>;
  /** token mints an access token: by default for the first client, for all its users. */
  token(options?: TokenOptions & { hostUserId?: string }): Promise<string>;
  /** login grants a client access for a user, as with the user's password. */
  login(hostUserId: string, options?: TokenOptions): Promise<Grant>;

  /** inject adds fault rules. Each has to fire until the bank is reset or closed, or its faults are cleared. */
  inject(...rules: Fault[]): Promise<void>;
  /** clearFaults removes all faults. */
  clearFaults(): Promise<void>;

  /** verify throws an AssertionError unless the bank had the requests that are expected. */
  verify(expectation: Expectation): Promise<void>;
  /** journal returns the last exchanges of an operation or, without one, of all; at most a thousand, the newest last. */
  journal(operation?: Operations): Promise<Exchange[]>;
  /** why says why the bank answered a request as it did: the exchange with this id, or the newest. */
  why(exchange?: string): Promise<string>;

  /** state returns all that the bank holds. */
  state(): Promise<State>;
  /** patch changes an institution past the bank's rules, and returns it. */
  patch(row: { institutionId: string }, set: InstitutionPatch): Promise<Institution>;
  /** patch changes a user past the bank's rules, and returns the user. */
  patch(row: { institutionId: string; hostUserId: string }, set: UserPatch): Promise<User>;
  /** patch changes an account past the bank's rules, and returns it. */
  patch(row: { institutionId: string; hostUserId: string; accountId: string }, set: AccountPatch): Promise<Account>;
  /** advance moves the bank's clock by a duration, and returns the time that it shows then. */
  advance(duration: Duration): Promise<Date>;
  /** reset puts everything back to the start: bank, faults, journal and clock. */
  reset(): Promise<void>;

  /** call makes a call of the control API about this bank, such as call("GET", "/diff"), and returns what it answers. */
  call(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<any>;

  /** close removes the bank. It throws an AssertionError if a fault that inject has added never fired. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** withBank returns the function of a test: it starts a bank, runs a function with it, and closes the bank. */
export function withBank(test: (bank: Bank) => unknown): () => Promise<void>;
export function withBank(plan: Plan, test: (bank: Bank) => unknown): () => Promise<void>;

/** What a bank starts from. */
export type Plan = {
  /** The seed of the bank's ids and tokens. */
  seed?: number;
  /** How long the simulator may take to start, in milliseconds. Default: 30000. */
  startTimeout?: number;
} & OneOf<{
  /** A built-in scenario. Default: the simulator's, which is retail. */
  scenario: string;
  /** The YAML of a scenario, which may extend a built-in one. */
  scenarioYaml: string;
}>;

/** A length of time, such as 250ms or 1h30m. */
export type Duration = `${number}${Unit}` | `${number}${Unit}${number}${Unit}` | `${number}${Unit}${number}${Unit}${number}${Unit}`;
type Unit = "ns" | "us" | "ms" | "s" | "m" | "h";

/** At most one of the members of a type. */
type OneOf<T> = { [K in keyof T]: { [Member in keyof T]?: Member extends K ? T[Member] : never } }[keyof T];

/** The name of an operation of the interface. */
export type Operation =
  | "estatements.getDisclosures" | "estatements.updateAccount" | "estatements.updateUser"
  | "tokens.issue" | "tokens.revoke" | "tokens.authorizeClient" | "tokens.createCode"
  | "groups.create" | "groups.list" | "groups.update" | "groups.delete" | "groups.uploadParticipants"
  | "jobs.list" | "jobs.get" | "jobs.listErrors"
  | "alerts.createPreference" | "alerts.listPreferences" | "alerts.getPreference" | "alerts.updatePreference" | "alerts.deletePreference"
  | "alerts.listInstitutionTypes" | "alerts.listInstitutionPreferences"
  | "disclosures.listUser" | "disclosures.createUser" | "disclosures.updateUser" | "disclosures.deleteUser" | "disclosures.listInstitution"
  | "users.getStatus";

/** An operation, a family of operations such as "groups.*", or all. */
export type Operations = Operation | Family<Operation> | "*";
type Family<Name> = Name extends `${infer Kind}.${string}` ? `${Kind}.*` : never;

/** A fault rule, see docs/faults.md: of operations, or a stub of a path that the interface doesn't have. */
export type Fault = {
  /** Default: fault-1 and so on. */
  name?: string;
  /** Which requests it fires for. Default: every request. */
  when?: When;
  /** What happens when it fires. */
  then: Then;
  /** Whether it comes before the operation is carried out, or after. */
  phase?: "before" | "after";
  /** Whether it is switched off. */
  off?: boolean;
} & (
  | { operation?: Operations | Operations[]; path?: never; method?: never }
  | { path: string; method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"; operation?: never }
);

/** Which requests a fault fires for. All given conditions must hold. */
export interface When {
  /** The first of these requests. */
  first?: number;
  /** Only this one of the requests, counted from 1. */
  nth?: number;
  /** Every so many requests. */
  every?: number;
  /** The requests after so many. */
  after?: number;
  /** How likely it fires, up to 1. */
  probability?: number;
  /** A window of the bank's time: durations since the bank's start, or times such as 2026-01-15T09:00:00Z. */
  during?: { from?: string } & OneOf<{ until: string; for: Duration }>;
  /** What a request is like. A text that begins with ~ is a regular expression. */
  request?: {
    dialect?: Dialect;
    institutionId?: string;
    hostUserId?: string;
    header?: Values;
    query?: Values;
    body?: Members;
  };
}

/** What happens when a fault fires: the token of the request expires, or the answer is another one, late or lost. */
export type Then = { delay?: Delay } & (
  | { expireToken: true; status?: never; error?: never; body?: never; headers?: never; connection?: never; forward?: never }
  | {
      /** With path: the URL of the service that answers. ca is PEM. */
      forward: string | { url: string; ca?: string };
      expireToken?: false;
      status?: never;
      error?: never;
      body?: never;
      headers?: Record<string, string | string[]>;
      connection?: Connection;
    }
  | {
      expireToken?: false;
      forward?: never;
      status?: number;
      /** Another code or message in the bank's error body. */
      error?: { code?: string; message?: string };
      /** The whole body: a text, or what is sent as JSON. */
      body?: string | Members | readonly unknown[];
      headers?: Record<string, string | string[]>;
      connection?: Connection;
    }
);

/** How long an answer is delayed. */
export type Delay =
  | Duration
  | { uniform: [Duration, Duration] }
  | { p50: Duration; p95: Duration }
  | { lognormal: { median: Duration; sigma: number } };

/** What happens to the connection. */
export type Connection =
  | "reset" | "close" | "hang" | "truncate" | "malformed" | "dribble" | "garbage"
  | { hang: Duration }
  | { truncate: number }
  | { dribble: { bytes?: number; every?: Duration } };

/** The two views of the interface: with prefixed paths, or with bare ones. */
export type Dialect = "document" | "public";

/** Values by name; null: absent. */
export type Values = Record<string, string | null>;

/** Members of a JSON object. */
export type Members = Record<string, unknown>;

/** The requests that the bank should have had. All that is given has to hold; without a count, there is at least one. */
export type Expectation = {
  /** A regular expression begins with ~. */
  operation?: Operations | `~${string}`;
  dialect?: Dialect;
  status?: number;
  method?: string;
  /** Without base URL and query. */
  path?: string;
  header?: Values;
  query?: Values;
  body?: Members | null;
} & ({ exactly?: number; atLeast?: never; atMost?: never } | { exactly?: never; atLeast?: number; atMost?: number });

/** A request and its answer, with the decision behind it. Secrets are fingerprints. */
export interface Exchange {
  id: string;
  sandbox: string;
  /** Empty: the path is no operation's. */
  operation: Operation | "";
  dialect?: Dialect;
  /** By the bank's clock. */
  at: string;
  realAt: string;
  tookMicros: number;
  request: {
    httpVersion?: string;
    method: string;
    url: string;
    path: string;
    query: Record<string, string[]>;
    headers: Record<string, string[]>;
    body: string;
    bodyBytes: number;
    bodyTruncated: boolean;
  };
  /** A status of 0: a fault lost the answer. */
  response: { status: number; headers: Record<string, string[]>; body: string; bodyBytes: number; bodyTruncated: boolean };
  decision: {
    outcome: "accepted" | "refused" | "faulted" | "stubbed";
    rule: string;
    row?: string;
    message?: string;
    basis: "document" | "published" | "convention" | "choice";
    entries: string[];
  };
  /** Whether a row differs after it. */
  changed: boolean;
  fault?: {
    fired: string[];
    answeredBy?: string;
    phase?: "before" | "after";
    delayMicros: number;
    connection?: string;
    bankStatus?: number;
    expiredBy?: string;
    undocumented?: boolean;
  };
  lints: { code: string; message: string }[];
}

/** How a token is minted. */
export interface TokenOptions {
  /** The shared key of a client. Default: the first of the institution. */
  client?: string;
  /** Default: the first institution that has a client. */
  institutionId?: string;
  /** By the bank's clock. Default: as long as an issued token. */
  expiresIn?: Duration;
}

/** What a client was granted for a user. */
export interface Grant {
  accessToken: string;
  refreshToken: string;
  /** When the access token expires, by the bank's clock. */
  expiresAt: string;
  client: string;
  hostUserId: string;
}

export interface InstitutionPatch {
  multistatement?: boolean;
}

export interface UserPatch {
  active?: boolean;
  /** Of all disclosures of the user. */
  disclosureStatus?: "ACCEPTED" | "NOT_ACCEPTED";
}

export interface AccountPatch {
  activateEstatement?: boolean;
  /** Of all disclosures of the account. */
  disclosureStatus?: "ACCEPTED" | "NOT_ACCEPTED";
  updateFails?: boolean;
}

/** All that a bank holds. Keys and passwords are left out, and tokens are fingerprints. Times are by the bank's clock. */
export interface State {
  institutions: InstitutionState[];
}

export interface Institution {
  institutionId: string;
  multistatement: boolean;
  alertTypes: string[];
  institutionAlertTypes?: {
    institutionAlertTypeId: number;
    alertTypeName: string;
    channelsOptd: string[];
    statusOptd: "ACTIVE" | "INACTIVE";
    reason?: string;
  }[];
  institutionAlertPreferences?: {
    institutionAlertPrefId: number;
    alertTypeName: string;
    channelTypeName: string;
    alertOpted: boolean;
    additionalInfo?: unknown;
  }[];
  /** Besides OLS, ESIGN and IB. */
  institutionDisclosures?: {
    institutionDisclosureId: string;
    institutionDisclosureName: string;
    institutionDisclosureData?: string;
    institutionDisclosureDataType?: string;
  }[];
}

/** An institution with all that belongs to it. */
export interface InstitutionState extends Institution {
  /** Shared keys. */
  clients: string[];
  users: User[];
  tokens: Token[];
  groups: Group[];
  jobs: Job[];
  /** The preferences that belong to no user. */
  alertPreferences: AlertPreference[];
}

export interface User {
  hostUserId: string;
  username?: string;
  active: boolean;
  disclosures: Disclosure[];
  institutionUserId: string;
  /** What else the status of users shows, if the scenario says it. */
  status?: {
    customerId?: string;
    parentHostUserId?: string;
    onHold?: boolean;
    locked?: boolean;
    reset?: boolean;
    registered?: boolean;
    approved?: boolean;
    rejected?: boolean;
    failedLoginCount?: number;
    failedPasswordResetCount?: number;
    lastLoginDateTime?: string;
    holdDateTime?: string;
    holdReason?: string;
    holdInitiatedBy?: string;
  };
  accounts: Account[];
  alertPreferences: AlertPreference[];
}

export interface Account {
  accountId: string;
  activateEstatement: boolean;
  disclosures: Disclosure[];
  /** Whether an update of all accounts fails for this one. */
  updateFails?: boolean;
}

export interface Disclosure {
  institutionDisclosureName: string;
  institutionDisclosureStatus: "ACCEPTED" | "NOT_ACCEPTED" | "ENROLLED" | "NOT_ENROLLED";
  institutionUserDisclosureStatusUpdateDateTime: string;
  paperWaiver: boolean;
}

/** An access token with its refresh token, if there is one. */
export interface Token {
  code?: string;
  /** Empty: the code wasn't used. */
  accessToken: string;
  refreshToken?: string;
  client: string;
  hostUserId?: string;
  grantType: string;
  revoked: boolean;
  /** Alone: the refresh token works. */
  accessTokenRevoked?: boolean;
  expiresAt?: string;
  refreshExpiresAt?: string;
}

export interface Group {
  groupId: string;
  groupName: string;
  groupDescription: string;
  groupLastUpdatedDateTime: string;
  groupParticipantCount: number;
  groupExperienceName: string;
  groupStatus: "ACTIVE" | "DELETED";
  participants?: string[];
}

/** A job that imports participants into a group. */
export interface Job {
  jobId: string;
  groupId: string;
  type: string;
  inputFileName: string;
  jobStatus: string;
  jobDetails?: string;
  jobCreatedBy: string;
  totalRecordsCount: number;
  successRecordsCount: number;
  failedRecordsCount: number;
  createdDateTime: string;
  lastUpdatedDateTime: string;
  errors: { lineNbr: number; errorMsg: string }[];
}

export interface AlertPreference {
  additionalInfo?: unknown;
  alertOpted?: boolean;
  alertPreferenceAccountDetails?: { accountExternalId?: string; accountId?: string };
  alertPreferenceDetails: { alertPrefId: number; alertTypeName?: string; channelTypeName?: string; externalId?: string };
  allowCallback?: boolean;
  defaultPreferences?: boolean;
}
