/** What a bank starts from. */
export interface Plan {
  name?: string;
  /** A built-in scenario. Default: retail. */
  scenario?: string;
  /** The YAML of a scenario, which may extend a built-in one. */
  scenarioYaml?: string;
  /** Of the bank's ids and tokens. */
  seed?: number;
  /** After which the bank is removed if the test is cut off, such as 10m. Default: 1h. */
  ttl?: string;
}

/** A fault rule, as docs/faults.md has it. */
export interface Fault {
  name?: string;
  operation?: string | string[];
  when?: Record<string, unknown>;
  then: Record<string, unknown>;
  phase?: "before" | "after";
  [member: string]: unknown;
}

/** The requests that the bank should have had. All that is given has to hold; without a count, there is at least one. */
export interface Expectation {
  operation?: string;
  dialect?: "document" | "public";
  status?: number;
  method?: string;
  path?: string;
  header?: Record<string, string | null>;
  query?: Record<string, string | null>;
  body?: Record<string, unknown>;
  exactly?: number;
  atLeast?: number;
  atMost?: number;
}

/** A request and its answer, with the decision behind it. */
export interface Exchange {
  id: string;
  operation: string;
  request: { method: string; path: string; query: Record<string, string[]>; headers: Record<string, string[]>; body: string };
  response: { status: number; headers: Record<string, string[]>; body: string };
  decision: { outcome: string; rule: string; row?: string; message?: string; basis: string };
  lints: { code: string; message: string }[];
  [member: string]: unknown;
}

export class Bank {
  static start(plan?: Plan): Promise<Bank>;
  readonly name: string;
  /** To which the app appends the interface's paths. */
  readonly baseUrl: string;
  inject(...rules: Fault[]): Promise<void>;
  verify(expectation: Expectation): Promise<void>;
  journal(operation?: string): Promise<Exchange[]>;
  why(exchange?: string): Promise<string>;
  state(): Promise<any>;
  patch(row: { institutionId: string; hostUserId?: string; accountId?: string }, set: Record<string, unknown>): Promise<any>;
  advance(duration: string): Promise<Date>;
  reset(): Promise<void>;
  close(): Promise<void>;
  call(method: string, path: string, body?: unknown): Promise<any>;
}
