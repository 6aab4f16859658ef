"use strict";

const { AssertionError } = require("node:assert");
const { performance } = require("node:perf_hooks");
const { appendRequests, comparison, outside } = require("./failure.cjs");
const { simulator } = require("./simulator.cjs");

const ttl = "1h"; // after which the simulator removes the bank of a run that was killed
const renewAfter = 10 * 60_000; // ms

/** Bank is a simulated bank of one test: a sandbox of its own. */
class Bank {
  #control;
  #renewed = performance.now();
  #injected = new Map(); // the faults that have to fire, by name: the stack of inject
  #closed = false;

  /** The constructor is for Bank.start. */
  constructor(control, sandbox, service) {
    this.#control = control;
    this.name = sandbox.name;
    this.baseUrl = service ? `${service}/sandboxes/${sandbox.name}` : sandbox.baseUrl;
    this.httpsUrl = service ? undefined : sandbox.httpsUrl;
  }

  /** start returns a new bank. The simulator starts with the first one of the process, and ends with the process. */
  static async start({ startTimeout, ...plan } = {}) {
    const { control, service } = await simulator(startTimeout);
    return new Bank(control, await control.call("POST", "/v1/sandboxes", { ttl, ...plan }), service);
  }

  /** call makes a call of the control API about this bank, such as call("GET", "/diff"), and returns what it answers. */
  async call(method, path, body) {
    const sandbox = `/v1/sandboxes/${this.name}`;
    if (performance.now() - this.#renewed > renewAfter) {
      this.#renewed = performance.now();
      await this.#control.call("PATCH", sandbox, { ttl });
    }
    return this.#control.call(method, sandbox + path, body);
  }

  /** caCert returns the certificate, as PEM, that clients of httpsUrl have to trust. */
  caCert() {
    return this.#control.call("GET", "/ca.pem");
  }

  /** token mints an access token: by default for the first client, for all its users. */
  async token(options) {
    return (await this.call("POST", "/tokens", options)).accessToken;
  }

  /** login grants a client access for a user, as with the user's password. */
  login(hostUserId, options) {
    return this.call("POST", "/tokens", { ...options, hostUserId, refresh: true });
  }

  /** inject adds fault rules. Each has to fire until the bank is reset or closed, or its faults are cleared. */
  async inject(...rules) {
    const { stack } = outside(new Error());
    const { faults } = await this.call("POST", "/faults", rules);
    for (const { name } of faults) this.#injected.set(name, stack);
  }

  /** clearFaults removes all faults. */
  async clearFaults() {
    await this.#requireFired();
    await this.call("DELETE", "/faults");
  }

  /** verify throws an AssertionError unless the bank had the requests that are expected. */
  async verify(expectation) {
    const verdict = await this.call("POST", "/journal/verify", expectation);
    if (verdict.verified) return;
    throw outside(new AssertionError({ message: verdict.text, ...comparison(expectation, verdict), stackStartFn: this.verify }));
  }

  /** journal returns the last exchanges of an operation or, without one, of all; at most a thousand, the newest last. */
  async journal(operation = "") {
    return (await this.call("GET", `/journal?limit=1000${operation && `&q=operation:${encodeURIComponent(operation)}`}`)).exchanges;
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

  /** advance moves the bank's clock by a duration such as "15m", and returns the time that it shows then. */
  async advance(duration) {
    return new Date((await this.call("POST", "/clock", { advance: duration })).now);
  }

  /** reset puts everything back to the start: bank, faults, journal and clock. */
  async reset() {
    await this.#requireFired();
    await this.call("POST", "/reset");
  }

  /** close removes the bank. It throws an AssertionError if a fault that inject has added never fired. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#requireFired();
    } catch (error) {
      await appendRequests(error, this);
      throw error;
    } finally {
      await this.call("DELETE", "");
    }
  }

  // requireFired throws an AssertionError, with the stack of inject, if a fault that it has added never fired.
  async #requireFired() {
    const injected = new Map(this.#injected);
    this.#injected.clear();
    if (injected.size === 0) return;
    const { faults } = await this.call("GET", "/faults");
    const idle = faults.filter(({ name, fired }) => injected.has(name) && fired === 0);
    if (idle.length === 0) return;
    const lines = idle.map(({ name, summary, matched }) => {
      const place = injected.get(name).split("\n")[1]?.trim().slice(3);
      const requests = matched === 1 ? "1 request" : `${matched} requests`;
      return `fault ${name} (${summary}) never fired: ${requests} matched it${place ? `\n\tinjected at ${place}` : ""}`;
    });
    const error = new AssertionError({ message: lines.join("\n"), operator: "fail" });
    error.stack = injected.get(idle[0].name).replace("Error", () => `AssertionError [ERR_ASSERTION]: ${error.message}`);
    throw error;
  }
}

// Jest 29 has no Symbol.asyncDispose in Node 20. Some compilers of `await using` then look for the other symbol.
Bank.prototype[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")] = Bank.prototype.close;

module.exports = { Bank };
