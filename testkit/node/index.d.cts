/// <reference lib="esnext.disposable" />
// The bodies of calls have the types that are generated from the control API. These are narrower where a test writes them.

import type {
  Account, AccountPatch, Change, Coverage, Exchange, Expectation as Expected, FaultRule, FaultThen, FaultWhen, Group, InstitutionPatch,
  InstitutionRow, MintedToken, NewGroup, NewUser, OperationPattern, State, User, UserPatch,
} from "./types.cjs";

export type { Account, AccountPatch, Change, Coverage, Exchange, Group, InstitutionPatch, InstitutionRow, NewGroup, NewUser, State, User, UserPatch };

/** Bank is a simulated bank of one test. If nobody calls its methods for an hour, it is removed. */
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
  /** The URL of the bank in the control API. */
  readonly controlUrl: string;

  /** caCert returns the certificate, as PEM, that clients of httpsUrl have to trust. */
  caCert(): Promise<string>;
  /** token mints an access token: by default for the first client, for all its users. */
  token(options?: TokenOptions & { hostUserId?: string }): Promise<string>;
  /** login grants a client access for a user, as with the user's password. */
  login(hostUserId: string, options?: TokenOptions): Promise<Grant>;
  /** tokenStatus returns what became of an access or refresh token. */
  tokenStatus(token: string): Promise<"active" | "expired" | "revoked" | "unknown">;

  /**
   * inject adds fault rules. Each has to have an effect until the bank is reset or closed, or its faults are cleared, unless it is
   * optional.
   */
  inject(...rules: Fault[]): Promise<void>;
  /** clearFaults removes all faults. It throws an AssertionError if an injected one had no effect. */
  clearFaults(): Promise<void>;

  /** verify throws an AssertionError unless the bank had the requests that are expected. */
  verify(expectation: Expectation): Promise<void>;
  /** verifyInOrder throws an AssertionError unless the bank had a request for each expectation, in this order. */
  verifyInOrder(...expectations: Uncounted[]): Promise<void>;
  /** eventually waits for the requests that are expected, at most 2m, and then does as verify. */
  eventually(within: Duration, expectation: Expectation): Promise<void>;
  /** noLints throws an AssertionError if a request was odd, though that had no influence on its answer. */
  noLints(): Promise<void>;
  /** journal returns the last exchanges of an operation or, without one, of all; at most a thousand, the newest last. */
  journal(operation?: OperationPattern): Promise<Exchange[]>;
  /** report returns what the bank says of the test, and its last requests, each with the decision behind its answer. */
  report(): Promise<string>;
  /** why says why the bank answered a request as it did: the exchange with this id, or the newest. */
  why(exchange?: string): Promise<string>;

  /** state returns all that the bank holds. */
  state(): Promise<State>;
  /** patch changes an institution past the bank's rules, and returns it. */
  patch(row: { institutionId: string }, set: InstitutionPatch): Promise<InstitutionRow>;
  /** patch changes a user past the bank's rules, and returns the user. */
  patch(row: { institutionId: string; hostUserId: string }, set: UserPatch): Promise<User>;
  /** patch changes an account past the bank's rules, and returns it. */
  patch(row: { institutionId: string; hostUserId: string; accountId: string }, set: AccountPatch): Promise<Account>;
  /** newUser adds an active user that has accepted all disclosures, and returns it. */
  newUser(institutionId: string, user: NewUser): Promise<User>;
  /** newGroup adds a group without participants, and returns it. */
  newGroup(institutionId: string, group: NewGroup): Promise<Group>;

  /** snapshot saves the bank and its clock, and returns a name for restore and diff. A bank has 100 at most. */
  snapshot(): Promise<string>;
  /** restore returns the bank and its clock to a snapshot. Faults and journal stay. */
  restore(snapshot: string): Promise<void>;
  /** diff returns the rows that differ from a snapshot or, without one, from the start. */
  diff(snapshot?: string): Promise<Change[]>;
  /** fork returns another bank that starts as this one is now, without injected faults. It is closed with this one, at the latest. */
  fork(): Promise<Bank>;

  /** now returns the time that the bank's clock shows. */
  now(): Promise<Date>;
  /** setClock sets the bank's clock to a time. */
  setClock(time: Date): Promise<void>;
  /** advance moves the bank's clock by a duration, and returns the time that it shows then. */
  advance(duration: Duration): Promise<Date>;
  /** coverage returns which answers of the interface the bank has given, and how often. */
  coverage(): Promise<Coverage>;
  /** reset puts everything back to the start: bank, faults, journal and clock. It throws as clearFaults does. */
  reset(): Promise<void>;

  /**
   * call makes a call of the control API about this bank, such as call("GET", "/keys"), and returns what it answers. It throws an
   * AssertionError if that is a verdict or a verification that failed.
   */
  call(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<any>;

  /** close removes the bank. It throws an AssertionError if a fault that inject has added had no effect. */
  close(): Promise<void>;
  /** discard removes the bank of a test that failed, whatever became of its faults. It can be called again. */
  discard(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** withBank returns the function of a test: it starts a bank, runs a function with it, and closes the bank. */
export function withBank(test: (bank: Bank, ...context: any[]) => unknown): (...context: any[]) => Promise<void>;
export function withBank(plan: Plan, test: (bank: Bank, ...context: any[]) => unknown): (...context: any[]) => Promise<void>;

/** vitestBank is a fixture for Vitest: test.extend<{ bank: Bank }>({ bank: vitestBank() }). */
export function vitestBank(plan?: Plan): (context: any, use: (bank: Bank) => Promise<void>) => Promise<void>;

/** playwrightBank is a fixture for Playwright: test.extend<{ bank: Bank }>({ bank: playwrightBank() }). It attaches the report of a test that fails. */
export function playwrightBank(plan?: Plan): (fixtures: any, use: (bank: Bank) => Promise<void>, info: any) => Promise<void>;

/** What a bank starts from. */
export type Plan = {
  /** The seed of the bank's ids and tokens. */
  seed?: number;
  /** How long the simulator may take to start, in milliseconds. Default: 30000. */
  startTimeout?: number;
} & OneOf<{
  /** The YAML of a scenario, which may extend a built-in one. */
  scenarioYaml: string;
  /** A built-in scenario. Default: the simulator's, which is retail. */
  scenario: string;
}> & {
  /** The origins whose pages may read the answers, such as "http://localhost:*". Not with scenarioYaml: see behavior.cors there. */
  cors?: string[];
};

/** A length of time, such as 250ms or 1h30m. */
export type Duration = `${number}${Unit}` | `${number}${Unit}${number}${Unit}` | `${number}${Unit}${number}${Unit}${number}${Unit}`;
type Unit = "ns" | "us" | "ms" | "s" | "m" | "h";

/** At most one of the members of a type. */
type OneOf<T> = { [K in keyof T]: { [Member in keyof T]?: Member extends K ? T[Member] : never } }[keyof T];

/** A fault rule, see docs/faults.md: of operations, or a stub of a path that the interface doesn't have. */
export type Fault = Omit<FaultRule, "operation" | "path" | "method" | "required" | "then" | "when"> & {
  when?: FaultWhen;
  then: Then;
  /** Whether the test passes though the fault has no effect. */
  optional?: boolean;
} & (
  | { operation?: FaultRule["operation"]; path?: never; method?: never }
  | { path: string; method?: FaultRule["method"]; operation?: never }
);

/** What happens when a fault fires: the token of the request expires, or the answer is another one, late or lost. */
export type Then = Omit<FaultThen, "delay" | "expireToken"> & { delay?: Duration | Exclude<FaultThen["delay"], string> } & (
  | { expireToken?: false }
  | { expireToken: true; status?: never; error?: never; body?: never; headers?: never; connection?: never; forward?: never }
);

/** The requests that the bank should have had. All that is given has to hold; without a count, there is at least one. */
export type Expectation = Uncounted &
  ({ exactly?: number; atLeast?: never; atMost?: never } | { exactly?: never; atLeast?: number; atMost?: number });

/** An expectation without a count. A text that begins with ~ is a regular expression. */
export type Uncounted = Omit<Expected, "operation" | "exactly" | "atLeast" | "atMost"> & { operation?: OperationPattern | `~${string}` };

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
export type Grant = MintedToken & { refreshToken: string; hostUserId: string };
