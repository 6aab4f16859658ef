"use strict";
// The simulator that the banks of this process share.

const { spawn } = require("node:child_process");
const { existsSync, readFileSync } = require("node:fs");
const { mkdtemp, rm } = require("node:fs/promises");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const timers = { ...require("node:timers") }; // the real ones, even if a test replaces them
const { URL } = require("node:url");
const { getEnvironmentData, setEnvironmentData } = require("node:worker_threads");
const { Control } = require("./control.cjs");
const { outside } = require("./failure.cjs");
const { version } = require("./package.json");

// The control URL of the simulator is in the environment data of the process, under this key. Jest loads the kit again for each file
// of tests, but environment data stays.
const key = "banksim-testkit control";
const endKey = "banksim-testkit end"; // why the last simulator ended

const maxLog = 10_000; // characters of the simulator's log that are kept

let starting; // the start of the simulator, while it lasts

/** simulator returns the simulator that BANKSIM_CONTROL names or, without it, the one of this process. It starts that if need be. */
async function simulator(startTimeout) {
  if (process.env.BANKSIM_EXPLORE) return exploredBank();
  const token = process.env.BANKSIM_CONTROL_TOKEN;
  const control = variable("BANKSIM_CONTROL");
  if (control) return { control: new Control(control, token), service: variable("BANKSIM_SERVICE") };
  if (!getEnvironmentData(key)) {
    starting ??= start(token, startTimeout).finally(() => { starting = undefined; });
    await starting;
  }
  return { control: new Control(getEnvironmentData(key), token, reasonOfEnd) };
}

// reasonOfEnd returns why the simulator of this process ended, or undefined. A call may fail just before that is known.
async function reasonOfEnd() {
  if (!getEnvironmentData(endKey)) await new Promise((resolve) => { timers.setTimeout(resolve, 200); });
  return getEnvironmentData(endKey);
}

// exploredBank returns the bank that banksim explore has made for this run of the tests.
function exploredBank() {
  const [control, name] = variable("BANKSIM_CONTROL_URL").split("/v1/sandboxes/");
  return { control: new Control(control, process.env.BANKSIM_TOKEN), sandbox: { name, baseUrl: variable("BANKSIM_BASE_URL") } };
}

// variable returns the URL in an environment variable, without a slash at its end, or "" if there is none.
function variable(name) {
  const text = process.env[name] ?? "";
  const url = text === "" || text.includes("://") ? text : `http://${text}`;
  if (url !== "" && !URL.canParse(url)) throw new Error(`${name} is no URL such as http://127.0.0.1:8081: ${JSON.stringify(text)}`);
  return url.replace(/\/+$/, "");
}

// start starts the program. It ends with this process, however that ends: its keepalive breaks then.
async function start(token, startTimeout = 30_000) {
  const folder = await mkdtemp(join(tmpdir(), "banksim-"));
  const readyFile = join(folder, "ready.json");
  const child = spawn(process.env.BANKSIM || "banksim", ["serve", "--listen=127.0.0.1:0,https://127.0.0.1:0", "--control=127.0.0.1:0",
    "--no-default-sandbox", "--exit-when-idle=1m", "--clock-start=2026-01-15T09:00:00Z", "--log-level=error",
    `--ready-file=${readyFile}`], { env: environment(token), stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (text) => { log = (log + text).slice(-maxLog); });
  const lastLines = () => log.trim().split("\n").slice(-10).map((line) => line && `\n\t${line}`).join("");
  try {
    const { control } = await ready(child, readyFile, startTimeout);
    await holdKeepalive(new Control(control, token));
    setEnvironmentData(key, control);
    setEnvironmentData(endKey, undefined);
    child.removeAllListeners().on("error", () => {}).on("close", (code, signal) => {
      setEnvironmentData(key, undefined); // the next bank starts another one
      setEnvironmentData(endKey, `the simulator ended (${signal ?? `exit code ${code}`})${lastLines()}`);
    });
  } catch (error) {
    child.removeAllListeners().on("error", () => {});
    child.kill("SIGKILL");
    const isOlder = /unknown flag/.test(log) ? `: the program is older than the kit (${version}): build it anew` : "";
    throw outside(new Error(`banksim didn't start: ${error.message}${isOlder}${lastLines()}`));
  } finally {
    child.unref();
    child.stderr.unref();
    await rm(folder, { recursive: true, force: true });
  }
}

// environment returns the environment of the program. No option comes from this process but the token: BANKSIM_DATA would have the
// tests write to a store.
function environment(token) {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("BANKSIM_"));
  return Object.fromEntries(token ? [...others, ["BANKSIM_CONTROL_TOKEN", token]] : others);
}

// ready waits for the ready file of the program, and returns what is in it.
async function ready(child, file, startTimeout) {
  let poll, limit;
  try {
    return await new Promise((resolve, reject) => {
      poll = timers.setInterval(() => { if (existsSync(file)) resolve(JSON.parse(readFileSync(file, "utf8"))); }, 5);
      limit = timers.setTimeout(() => reject(new Error(`it isn't ready after ${startTimeout} ms (see startTimeout)`)), startTimeout);
      child.on("close", (code, signal) => reject(new Error(code === 0 ? `${child.spawnfile} ended at once: is it banksim?`
        : `it has ended with ${signal ?? `exit code ${code}`}`)));
      child.on("error", (error) => reject(new Error(`${error.message}: put it on the PATH, or name it in the variable BANKSIM`)));
    });
  } finally {
    timers.clearInterval(poll);
    timers.clearTimeout(limit);
  }
}

// holdKeepalive keeps the simulator running until this process ends. It doesn't keep the process from ending. If the simulator ends
// first, the next bank starts another one.
function holdKeepalive(control) {
  return new Promise((resolve, reject) => {
    const request = control.open("POST", "/v1/keepalive?linger=0s", undefined, (answer) => {
      answer.on("error", () => {}); // the simulator has ended
      answer.resume();
      if (answer.statusCode === 200) resolve();
      else reject(new Error(`it has answered ${answer.statusCode} for a keepalive`));
    });
    request.on("socket", (socket) => socket.unref());
    request.on("error", reject);
  });
}

module.exports = { simulator };
