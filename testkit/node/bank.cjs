"use strict";

const { AssertionError } = require("node:assert");
const { performance } = require("node:perf_hooks");
const { failure, outside } = require("./failure.cjs");
const { simulator } = require("./simulator.cjs");

const ttl = "1h"; // after which the simulator removes the bank of a run that was killed
const renewAfter = 10 * 60_000; // ms
const longestWait = 2 * 60_000; // ms, of a call that waits for requests
const namesInURL = 100; // as many names of faults as a URL has room for

let explored; // the bank that a test has while banksim explore runs the tests

/** Bank is a simulated bank of one test: a sandbox of its own. */
class Bank {
  #control;
  #isExplored;
  #since = "0"; // the newest exchange that the test doesn't see
  #renewed = performance.now();
  #injected = new Map(); // the stack of inject, by the name of the fault
  #plan;
  #service;
  #isFork; // then it ends with the bank that it was made from
  #snapshots = [];
  #forks = [];
  #pending = 0; // calls without an answer
  #closed = false;
  #removed = false;

  /** The constructor is for Bank.start. */
  constructor(control, sandbox, { service, plan, isFork = false } = {}) {
    this.#control = control;
    this.#service = service;
    this.#isFork = isFork;
    this.#plan = plan; // of the explored bank, which begins anew for each test
    this.#isExplored = plan !== undefined;
    this.name = sandbox.name;
    this.baseUrl = service ? `${service}/sandboxes/${sandbox.name}` : sandbox.baseUrl;
    this.httpsUrl = service ? undefined : sandbox.httpsUrl;
  }

  /** start returns a new bank. The simulator starts with the first one of the process, and ends with the process. */
  static async start({ startTimeout, ...plan } = {}) {
    const { control, service, sandbox } = await simulator(startTimeout);
    if (sandbox) return Bank.#startExplored(control, sandbox, plan);
    return new Bank(control, await control.call("POST", "/v1/sandboxes", { ttl, ...plan }), { service });
  }

  // While banksim explore runs the tests, they all use the explored bank, one after another, and each finds it at its
  // start. So the calls of all tests are counted together.
  static async #startExplored(control, sandbox, plan) {
    if (explored) {
      throw outside(new Error("banksim explore runs the tests with one bank at a time, and another test's is open: use Jest's " +
        "--runInBand, Vitest's --no-file-parallelism, node --test's --test-concurrency=1 or Playwright's --workers=1"));
    }
    explored = new Bank(control, sandbox, { plan });
    try {
      await explored.#begin();
    } catch (error) {
      explored = undefined;
      throw error;
    }
    return explored;
  }

  async #begin() {
    await this.call("POST", "/begin", this.#plan);
    const { exchanges: [newest] } = await this.call("GET", "/journal?limit=1");
    this.#since = newest?.id ?? "0";
  }

  /** controlUrl is the URL of the bank in the control API. */
  get controlUrl() {
    return `${this.#control.url}/v1/sandboxes/${this.name}`;
  }

  /**
   * call makes a call of the control API about this bank, such as call("GET", "/keys"), and returns what it answers. It throws an
   * AssertionError if that is a verdict or a verification that failed.
   */
  async call(method, path, body) {
    if (this.#removed) throw outside(new Error("the bank is closed"));
    const sandbox = `/v1/sandboxes/${this.name}`;
    if (performance.now() - this.#renewed > renewAfter && !this.#isExplored && !this.#isFork) {
      this.#renewed = performance.now();
      await this.#control.call("PATCH", sandbox, { ttl });
    }
    this.#pending++;
    let answer;
    try {
      answer = await this.#control.call(method, sandbox + path, body, body?.within === undefined ? 0 : longestWait);
    } finally {
      this.#pending--;
    }
    if (answer?.verified === false) throw outside(new AssertionError({ message: answer.text, expected: answer.expected, actual: answer.actual }));
    if (answer?.passed === false) throw this.#failed(answer.findings);
    return answer;
  }

  // failed returns the error for the findings of a verdict, with the stack of the fault's inject.
  #failed(findings) {
    return failure(findings.map(({ text }) => text).join("\n"), this.#injected.get(findings[0].name));
  }

  /** caCert returns the certificate, as PEM, that clients of httpsUrl have to trust. */
  caCert() {
    return this.#control.call("GET", "/ca.pem");
  }

  /** token mints an access token: by default for the first client, for all its users. */
  async token(options) {
    refuseUndefined(options, "token");
    return (await this.call("POST", "/tokens", options)).accessToken;
  }

  /** login grants a client access for a user, as with the user's password. */
  async login(hostUserId, options) {
    if (!hostUserId) throw outside(new TypeError("login: the hostUserId is missing"));
    return this.call("POST", "/tokens", { ...options, hostUserId, refresh: true });
  }

  /** tokenStatus returns what became of an access or refresh token: active, expired, revoked or unknown. */
  async tokenStatus(token) {
    return (await this.call("POST", "/token-status", { token })).status;
  }

  /**
   * inject adds fault rules. Each has to have an effect until the bank is reset or closed, or its faults are cleared, unless it is
   * optional.
   */
  async inject(...rules) {
    refuseUndefined(rules, "inject");
    const { stack } = outside(new Error());
    const from = /[^/\\(]*:\d+(?=:\d+\)?$)/.exec(stack.split("\n")[1] ?? "")?.[0];
    const required = rules.map(({ optional, ...rule }) => ({ from, required: !optional, ...rule }));
    const { faults } = await this.call("POST", "/faults", required);
    for (const { name } of faults) this.#injected.set(name, stack);
  }

  /** clearFaults removes all faults. */
  async clearFaults() {
    await this.#judgeFaults("/faults");
  }

  // judgeFaults removes the faults that the test has injected or, where the bank is the test's own, by the call of the path.
  async #judgeFaults(path, method = "DELETE") {
    const names = [...this.#injected.keys()];
    try {
      if (!this.#isExplored) await this.call(method, `${path}?verdict=true`);
      else await this.#removeFaults(names);
    } finally {
      this.#injected.clear();
    }
  }

  // removeFaults removes faults of the explored bank, and throws the first error.
  async #removeFaults(names) {
    let error;
    for (let i = 0; i < names.length; i += namesInURL) {
      await this.call("DELETE", `/faults?verdict=true&name=${names.slice(i, i + namesInURL)}`).catch((reason) => { error ??= reason; });
    }
    if (error) throw error;
  }

  /** verify throws an AssertionError unless the bank had the requests that are expected. */
  async verify(expectation) {
    refuseUndefined(expectation, "verify");
    await this.call("POST", "/journal/verify", { ...expectation, after: this.#since });
  }

  /** verifyInOrder throws an AssertionError unless the bank had a request for each expectation, in this order. */
  async verifyInOrder(...expectations) {
    refuseUndefined(expectations, "verifyInOrder");
    await this.call("POST", "/journal/verify", { inOrder: expectations, after: this.#since });
  }

  /** eventually waits for the requests that are expected, for a duration such as "2s", at most 2m, and then does as verify. */
  async eventually(within, expectation) {
    refuseUndefined(expectation, "eventually");
    await this.call("POST", "/journal/verify", { ...expectation, within, after: this.#since });
  }

  /** noLints throws an AssertionError if a request was odd, though that had no influence on its answer. */
  async noLints() {
    const { findings } = await this.#verdict("&lints=refuse");
    const lints = findings.filter(({ kind }) => kind === "lint");
    if (lints.length > 0) throw this.#failed(lints);
  }

  // verdict returns what the bank says of the test so far. Of the explored bank, that is what it says of the test's own faults.
  async #verdict(query = "") {
    const verdict = await this.#control.call("GET", `/v1/sandboxes/${this.name}/verdict?after=${this.#since}${query}`);
    if (!this.#isExplored) return verdict;
    const isOwn = ({ kind, name }) => !kind.startsWith("fault-") || this.#injected.has(name);
    return { ...verdict, findings: verdict.findings.filter(isOwn), notes: verdict.notes.filter(isOwn) };
  }

  /** journal returns the last exchanges of an operation or, without one, of all; at most a thousand, the newest last. */
  async journal(operation = "") {
    const { exchanges } = await this.call("GET", `/journal?limit=1000${operation && `&q=operation:${encodeURIComponent(operation)}`}`);
    return exchanges.filter(({ id }) => Number(id) > Number(this.#since));
  }

  /**
   * report returns what the bank says of the test beyond a known text, and its last requests, each with the decision behind its
   * answer.
   */
  async report(known = "") {
    if (this.#removed) return ""; // by the test itself
    const { findings, notes, requests } = await this.#verdict();
    const lines = [...findings, ...notes].filter(({ text }) => !known.includes(text))
      .map(({ kind, text }) => text + (kind === "no-request" ? ". Does the app use the bank's baseUrl?" : ""));
    if (requests > 0) {
      const text = await this.call("GET", `/journal?format=text&limit=${Math.min(requests, 20)}`);
      lines.push(`the requests of the bank:\n${text.trimEnd()}\n`);
    }
    return lines.join("\n");
  }

  /** why says why the bank answered a request as it did: the exchange with this id, or the newest. */
  async why(exchange = "newest") {
    return this.call("GET", `/journal/${encodeURIComponent(exchange)}/why?format=text`);
  }

  /** state returns all that the bank holds. */
  state() {
    return this.call("GET", "/state");
  }

  /** patch changes an institution, one of its users, or an account of a user, past the bank's rules, and returns the row. */
  patch({ institutionId, hostUserId, accountId }, set) {
    let path = `/institutions/${encodeURIComponent(institutionId)}`;
    if (hostUserId !== undefined) path += `/users/${encodeURIComponent(hostUserId)}`;
    if (accountId !== undefined) path += `/accounts/${encodeURIComponent(accountId)}`;
    return this.call("PATCH", path, set);
  }

  /** newUser adds an active user that has accepted all disclosures, and returns it. */
  newUser(institutionId, user) {
    return this.call("POST", `/institutions/${encodeURIComponent(institutionId)}/users`, user);
  }

  /** newGroup adds a group without participants, and returns it. */
  newGroup(institutionId, group) {
    return this.call("POST", `/institutions/${encodeURIComponent(institutionId)}/groups`, group);
  }

  /** snapshot saves the bank and its clock, and returns a name for restore and diff. */
  async snapshot() {
    const name = `test-${this.#snapshots.length + 1}`;
    await this.call("POST", "/snapshots", { name });
    this.#snapshots.push(name);
    return name;
  }

  /** restore returns the bank and its clock to a snapshot. Faults and journal stay. */
  async restore(snapshot) {
    await this.call("POST", `/snapshots/${encodeURIComponent(snapshot)}/restore`);
  }

  /** diff returns the rows that differ from a snapshot or, without one, from the start. */
  async diff(snapshot = "start") {
    return (await this.call("GET", `/diff?since=${encodeURIComponent(snapshot)}`)).changes;
  }

  /** fork returns another bank that starts as this one is now, without injected faults. It is closed with this one, at the latest. */
  async fork() {
    const fork = new Bank(this.#control, await this.call("POST", "/fork"), { service: this.#service, isFork: true });
    this.#forks.push(fork);
    return fork;
  }

  /** now returns the time that the bank's clock shows. */
  async now() {
    return new Date((await this.call("GET", "/clock")).now);
  }

  /** setClock sets the bank's clock to a time. */
  async setClock(time) {
    await this.call("POST", "/clock", { set: time.toISOString() });
  }

  /** advance moves the bank's clock by a duration such as "15m", and returns the time that it shows then. */
  async advance(duration) {
    return new Date((await this.call("POST", "/clock", { advance: duration })).now);
  }

  /** coverage returns which answers of the interface the bank has given, and how often. */
  coverage() {
    return this.#control.call("GET", `/v1/coverage?sandbox=${this.name}`);
  }

  /** reset puts everything back to the start: bank, faults, journal and clock. */
  async reset() {
    try {
      await this.#judgeFaults("/reset", "POST");
    } finally {
      if (this.#isExplored) await this.#begin();
    }
  }

  /** close removes the bank. It throws an AssertionError if a fault that inject has added had no effect. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    let error;
    try {
      if (this.#pending > 0) throw new Error("a call of the bank, such as verify, isn't awaited");
      for (const fork of this.#forks) await fork.close();
      const { findings, notes } = await this.#verdict();
      if (findings.length > 0) throw this.#failed(findings);
      tellNotes(notes);
    } catch (reason) {
      await appendReport(error = reason, this);
    }
    await this.#remove().catch((reason) => { error ??= reason; });
    if (error) throw error;
  }

  /** discard removes the bank of a test that failed, whatever became of its faults. It can be called again. */
  async discard() {
    if (this.#closed) return;
    this.#closed = true;
    await this.#remove().catch(() => {}); // the simulator removes it later, or has ended
  }

  async #remove() {
    try {
      if (this.#isExplored) await this.#leave();
      else await this.call("DELETE", "");
    } finally {
      this.#removed = true;
    }
  }

  // leave ends the use of the explored bank by the test.
  async #leave() {
    explored = undefined;
    await this.#judgeFaults().catch(() => {}); // close has told it
    for (const name of this.#snapshots) await this.call("DELETE", `/snapshots/${name}`);
  }
}

// tellNotes tells what may be intended, such as a request that the client has repeated by itself.
function tellNotes(notes) {
  for (const { kind, text } of notes) if (kind !== "no-request") console.warn(`banksim: ${text}`);
}

/** appendReport appends the report of a bank to the message of an error. */
async function appendReport(error, bank) {
  if (typeof error?.message !== "string") return;
  const text = await bank.report(error.message).catch(({ message }) => `the bank's requests are lost: ${message}`);
  if (!text) return;
  const { message, stack } = error;
  try {
    error.message = `${message}\n\n${text}`;
  } catch { // a DOMException or a frozen error
    console.error(text);
    return;
  }
  if (error.generatedMessage) error.generatedMessage = false; // Jest doesn't show a generated message
  if (stack?.includes(message)) error.stack = stack.replace(message, () => error.message); // which runners print
}

// refuseUndefined throws an error if a member is undefined: JSON leaves it out, and then anything would do.
function refuseUndefined(value, of) {
  for (const [name, member] of Object.entries(value ?? {})) {
    if (member === undefined) throw outside(new TypeError(`${of}: ${name} is undefined: leave it out, or give null for what must be absent`));
    if (member !== null && typeof member === "object") refuseUndefined(member, of);
  }
}

// dispose closes a bank at the end of `await using`. Many runners show nothing of a SuppressedError.
async function dispose() {
  await this.close().catch((error) => {
    console.error(error.message);
    throw error;
  });
}

// Jest 29 has no Symbol.asyncDispose in Node 20. Some compilers of `await using` then look for the other symbol.
Bank.prototype[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")] = dispose;

module.exports = { Bank, appendReport };
