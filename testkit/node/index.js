// Package banksim-testkit starts a simulated bank for each test, and asks it what the app did. It needs the program banksim, named by the
// variable BANKSIM or found on the PATH, or the control API of a simulator that runs already, in BANKSIM_CONTROL.

import { AssertionError } from "node:assert";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const startTimeout = 10_000; // ms
const callTimeout = 10_000; // ms

/** Bank is a simulated bank of one test: a sandbox of its own. */
export class Bank {
  #control;
  #unfired = new Set(); // names of faults that inject has added

  /** Use Bank.start. */
  constructor(control, sandbox) {
    this.#control = control;
    this.name = sandbox.name;
    this.baseUrl = sandbox.baseUrl;
  }

  /** start returns a new bank. The simulator starts with the first one of the process, and ends with the process. */
  static async start(plan = {}) {
    const control = await simulator();
    return new Bank(control, await control.call("POST", "/v1/sandboxes", { ttl: "1h", ...plan }));
  }

  /** call makes a call of the control API about this bank, such as call("GET", "/diff"), and returns what it answers. */
  call(method, path, body) {
    return this.#control.call(method, `/v1/sandboxes/${this.name}${path}`, body);
  }

  /** inject adds fault rules. Each has to fire until the bank is reset or closed. */
  async inject(...rules) {
    const { faults } = await this.call("POST", "/faults", rules);
    for (const fault of faults) this.#unfired.add(fault.name);
  }

  /** verify throws an AssertionError unless the bank had the requests that are expected. */
  async verify(expectation) {
    const verdict = await this.call("POST", "/journal/verify", expectation);
    if (!verdict.verified) throw new AssertionError({ message: verdict.text });
  }

  /** journal returns the last exchanges of an operation or, without one, all; at most a thousand, the newest last. */
  async journal(operation = "") {
    const page = await this.call("GET", `/journal?limit=1000&operation=${encodeURIComponent(operation)}`);
    return page.exchanges;
  }

  /** why says why the bank answered a request as it did: the one of a number, or the newest. */
  async why(exchange) {
    const id = exchange ?? (await this.call("GET", "/journal?limit=1")).exchanges[0]?.id;
    if (id === undefined) throw new Error("the bank had no request: does the app use its baseUrl?");
    return this.call("GET", `/journal/${encodeURIComponent(id)}/why?format=text`);
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
    try {
      await this.#requireFired();
    } finally {
      await this.#control.call("DELETE", `/v1/sandboxes/${this.name}`);
    }
  }

  async #requireFired() {
    const { faults } = await this.call("GET", "/faults");
    const idle = faults.filter((fault) => this.#unfired.has(fault.name) && fault.fired === 0);
    this.#unfired.clear();
    if (idle.length > 0) {
      const text = idle.map((f) => `the fault ${f.name} never fired: ${f.matched} requests were its operation's, and like those it is for`);
      throw new AssertionError({ message: text.join("\n") });
    }
  }
}

/** Control calls the control API of a simulator. */
class Control {
  constructor(url, token) {
    this.url = url.replace(/\/$/, "");
    this.token = token;
  }

  /** call returns the JSON or the text of the answer. It throws what the simulator says is wrong. */
  async call(method, path, body) {
    const answer = await fetch(this.url + path, {
      method,
      headers: this.headers(),
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(callTimeout),
    });
    const text = await answer.text();
    const isJSON = /json/.test(answer.headers.get("content-type") ?? "");
    if (answer.ok) return isJSON ? JSON.parse(text) : text;
    const problem = isJSON ? JSON.parse(text) : { detail: text };
    const defects = (problem.problems ?? []).map((p) => `\n\t${p.line ? `${p.file}:${p.line}:${p.column}: ` : ""}${p.message}`);
    throw new Error(`${method} ${path}: ${answer.status} ${problem.detail}${defects.join("")}`);
  }

  headers() {
    return this.token ? { Authorization: `Bearer ${this.token}` } : {};
  }
}

let shared; // the simulator of this process

function simulator() {
  const { BANKSIM_CONTROL: url, BANKSIM_CONTROL_TOKEN: token } = process.env;
  shared ??= url ? Promise.resolve(new Control(url.includes("://") ? url : `http://${url}`, token)) : startSimulator(token);
  return shared;
}

// startSimulator starts the program. It ends with this process, however that ends: its lifeline breaks then.
async function startSimulator(token) {
  const program = process.env.BANKSIM || "banksim";
  const folder = await mkdtemp(join(tmpdir(), "banksim-"));
  const ready = join(folder, "ready.json");
  const child = spawn(program, ["serve", "--listen=127.0.0.1:0", "--control=127.0.0.1:0", "--no-default-sandbox", "--exit-when-idle=1m",
    "--clock-start=2026-01-15T09:00:00Z", "--log-level=error", `--ready-file=${ready}`], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (data) => { said += data; });
  child.on("error", (error) => { said += `${error.message}: put banksim on the PATH, or name it in the variable BANKSIM`; });
  try {
    for (const end = Date.now() + startTimeout; ; await sleep(5)) {
      const text = await readFile(ready, "utf8").catch(() => "");
      if (text) {
        const control = new Control(JSON.parse(text).control, token);
        await holdLifeline(control);
        child.unref();
        child.stderr.unref();
        return control;
      }
      if (said || child.exitCode !== null || Date.now() > end) throw new Error(`banksim didn't start: ${said}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// holdLifeline keeps the simulator running until this process ends, which it doesn't keep from ending.
function holdLifeline(control) {
  return new Promise((held, failed) => {
    const request = get(`${control.url}/v1/lifeline?linger=0s`, { headers: control.headers(), agent: false }, (answer) => {
      answer.on("error", () => {}); // the simulator has ended: the next call says so
      answer.resume();
      held();
    });
    request.on("socket", (socket) => socket.unref());
    request.on("error", failed);
  });
}
