// What each test kit promises: the first tests are the same in every language. The others are about Node.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { request } from "node:https";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import { Bank, withBank } from "./index.mjs";

const groups = "/digitalbanking/groups/v3/groups";
const isRunning = Boolean(process.env.BANKSIM_CONTROL);
let requests = 0;

// ask sends a request of an app, and returns the status, or 0 if the answer is lost.
async function ask(bank, method, path, body, token = "demo-token") {
  const headers = { Authorization: `Bearer ${token}`, transactionId: `t-${++requests}`, "Content-Type": "application/json" };
  try {
    const answer = await fetch(bank.baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
    await answer.text();
    return answer.status;
  } catch {
    return 0;
  }
}

const createGroup = (bank, groupName) => ask(bank, "POST", groups, { groupName });

async function start(t, plan) {
  const bank = await Bank.start(plan);
  t.after(() => bank.close());
  return bank;
}

async function active(bank) {
  const { groups } = (await bank.state()).institutions[0];
  return groups.filter((group) => group.groupStatus === "ACTIVE").length;
}

test("twenty tests at a time keep apart", async (t) => {
  await Promise.all(Array.from({ length: 20 }, async (_, i) => {
    const bank = await start(t, { seed: 7 });
    for (let n = 0; n < i; n++) assert.equal(await createGroup(bank, `Group ${n}`), 200);
    await bank.verify({ operation: "groups.create", exactly: i });
  }));
});

test("a lost answer", async (t) => {
  const bank = await start(t);
  await bank.inject({ operation: "groups.create", when: { first: 1 }, then: { connection: "reset" }, phase: "after" });
  const before = await active(bank);
  assert.equal(await createGroup(bank, "Night owls"), 0);
  assert.equal(await active(bank), before + 1);
  assert.equal(await createGroup(bank, "Night owls"), 400);
});

test("a token expires by the clock", async (t) => {
  const bank = await start(t);
  const token = await bank.token({ expiresIn: "15m" });
  assert.equal(await ask(bank, "GET", groups, undefined, token), 200);
  const before = new Date((await bank.call("GET", "/clock")).now);
  assert.ok((await bank.advance("16m")) - before >= 16 * 60_000);
  assert.equal(await ask(bank, "GET", groups, undefined, token), 401);
});

test("a fault fires as often as it says", async (t) => {
  const bank = await start(t);
  await bank.inject({ operation: "groups.list", when: { first: 2 }, then: { status: 503 } });
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push(await ask(bank, "GET", groups));
  assert.deepEqual(statuses, [503, 503, 200, 200]);
  await bank.verify({ operation: "groups.list", status: 503, exactly: 2 });
  await bank.clearFaults();
  assert.deepEqual((await bank.call("GET", "/faults")).faults, []);
});

test("a verification that fails says why", async (t) => {
  const bank = await start(t);
  await createGroup(bank, "Night owls");
  await bank.verify({ operation: "groups.create", body: { groupName: "Night owls" }, exactly: 1 });
  await assert.rejects(bank.verify({ operation: "groups.create", body: { groupName: "Day birds" } }), {
    name: "AssertionError",
    message: 'expected requests (operation "groups.create", body.groupName "Day birds", at least 1): the bank had 0 such requests\n' +
      '\tnear miss: exchange 1, groups.create\n\t\tbody.groupName is "Night owls", not "Day birds"',
    expected: { operation: "groups.create", body: { groupName: "Day birds" }, atLeast: 1 },
    actual: { operation: "groups.create", body: { groupName: "Night owls" }, atLeast: 0 },
  });
  await assert.rejects(bank.verify({ method: "POST", exactly: 2 }), { actual: { method: "POST", exactly: 1 } });
  await assert.rejects(bank.verify({ method: "POST", atLeast: 2 }), { actual: { method: "POST", atLeast: 1 } });
  await assert.rejects(bank.verify({ method: "POST", atMost: 0 }), { actual: { method: "POST", atMost: 1 } });
});

test("what no request can fulfil is refused", async (t) => {
  const bank = await start(t);
  const misspelt = /unknown operation "groups.lst": did you mean "groups.list"\?/;
  await assert.rejects(bank.verify({ operation: "groups.lst", exactly: 0 }), misspelt);
  await assert.rejects(bank.inject({ operation: "groups.lst", then: { status: 500 } }), /did you mean "groups.list"/);
  await assert.rejects(Bank.start({ scenario: "retial" }), /did you mean "retail"/);
  await assert.rejects(bank.inject({ then: { staus: 500 } }), ({ message, stack }) => {
    assert.equal(message, 'the faults have a problem, and nothing was changed\n\tunknown key "staus": did you mean "status"?');
    assert.match(stack, /\n +at .*bank\.test\.mjs/);
    assert.doesNotMatch(stack, /\.cjs/);
    return true;
  });
});

test("a change of the state", async (t) => {
  const bank = await start(t);
  await bank.patch({ institutionId: "02688", hostUserId: "1001" }, { active: false });
  const users = (await bank.state()).institutions[0].users;
  assert.equal(users.find((user) => user.hostUserId === "1001").active, false);
  await assert.rejects(bank.patch({ institutionId: "02688", hostUserId: "9999" }, { active: false }), /9999/);
});

test("a reset returns to the start", async (t) => {
  const bank = await start(t);
  const before = await active(bank);
  await createGroup(bank, "Night owls");
  await bank.reset();
  assert.equal(await active(bank), before);
  assert.deepEqual(await bank.journal(), []);
});

test("why a request was refused", async (t) => {
  const bank = await start(t);
  await assert.rejects(bank.why(), /the bank had no request/);
  await ask(bank, "GET", groups, undefined, "nobody-s");
  assert.match(await bank.why(), / 401 2003$/m);
  assert.equal(await bank.why("1"), await bank.why());
});

test("a fault that never fires fails the test", async () => {
  const bank = await Bank.start();
  await bank.inject({ operation: "groups.list", when: { nth: 2 }, then: { status: 503 } });
  await ask(bank, "GET", groups);
  await assert.rejects(bank.reset(), /never fired/);
  await bank.inject({ name: "idle", operation: "groups.list", when: { nth: 3 }, then: { status: 503 } });
  await ask(bank, "GET", groups);
  await assert.rejects(bank.close(), ({ name, message, stack }) => {
    assert.equal(name, "AssertionError");
    assert.match(message, /^bank\.test\.mjs:\d+: the fault idle \(groups\.list, nth 3\) never fired: 1 request matched it; if that is right/);
    assert.match(message, /\n\nthe requests of the bank:\n1 {2}GET .* -> 200 OK\n/);
    assert.match(stack, /\n +at [^\n]*bank\.test\.mjs:/);
    return true;
  });
  await assert.rejects(bank.state(), /the bank is closed/);
  await bank.close();
});

test("withBank closes the bank", async () => {
  let bank;
  const run = withBank({ seed: 7 }, async (given) => {
    bank = given;
    assert.equal((await bank.call("GET", "")).seed, 7);
  });
  assert.equal(run.length, 0);
  await run();
  await assert.rejects(bank.state(), /the bank is closed/);
  const unfired = withBank((given) => given.inject({ then: { status: 503 } }));
  await assert.rejects(unfired(), /the fault fault-1 \(all operations\) never fired: 0 requests matched it/);
});

test("withBank shows the requests of a test that fails", async () => {
  let bank;
  const failed = withBank(async (given) => {
    bank = given;
    await bank.inject({ operation: "groups.list", then: { status: 503 } }); // which never fires, and that is no second failure
    await createGroup(bank, "Night owls");
    throw new RangeError("too late");
  })();
  await assert.rejects(failed, ({ name, message, stack }) => {
    assert.equal(name, "RangeError");
    assert.match(message, /^too late\n\nbank\.test\.mjs:\d+: the fault fault-1 .*never fired.*\nthe requests of the bank:\n1 {2}POST .* -> 200 OK\n\taccepted by groups\.create/);
    assert.ok(stack.startsWith(`RangeError: ${message}`));
    return true;
  });
  await assert.rejects(bank.state(), /the bank is closed/);
  await assert.rejects(withBank(() => assert.equal(1, 2))(), { generatedMessage: false }); // Jest doesn't show generated ones
  await assert.rejects(withBank(() => Promise.reject("a text"))(), (reason) => reason === "a text");
});

test("await using closes the bank", async () => {
  const bank = await Bank.start();
  await bank[Symbol.asyncDispose]();
  await assert.rejects(bank.state(), /the bank is closed/);
});

test("tokens, and a login", async (t) => {
  const bank = await start(t);
  assert.equal(await ask(bank, "GET", groups, undefined, await bank.token()), 200);
  const grant = await bank.login("1001", { institutionId: "02688", client: "demo-app" });
  assert.equal(grant.hostUserId, "1001");
  assert.equal((await bank.call("POST", "/token-status", { token: grant.refreshToken })).status, "active");
  const { tokens } = (await bank.state()).institutions[1];
  await bank.token({ institutionId: "05523" });
  assert.equal((await bank.state()).institutions[1].tokens.length, tokens.length + 1);
  await assert.rejects(bank.token({ hostUserId: "9999" }), /hostUserId is not one/);
  const empty = await start(t, { scenarioYaml: "name: none\ninstitutions: [{institutionId: '02688'}]" });
  await assert.rejects(empty.token(), /no client to mint a token for/);
});

test("https", { skip: isRunning && "it may have none" }, async (t) => {
  const bank = await start(t);
  const url = `${bank.httpsUrl}${groups}`;
  const [answer] = await once(request(url, { ca: await bank.caCert(), headers: { transactionId: "t-s" } }).end(), "response");
  assert.equal(answer.resume().statusCode, 200);
});

test("the bank lives for an hour from the last call", async (t) => {
  const bank = await start(t);
  const expiry = async () => new Date((await bank.call("GET", "")).expiresAt);
  const first = await expiry();
  assert.ok(first - Date.now() > 59 * 60_000);
  const now = performance.now() + 11 * 60_000;
  t.mock.method(performance, "now", () => now);
  const renewed = await expiry();
  assert.ok(renewed > first);
  assert.deepEqual(await expiry(), renewed);
});

test("CommonJS and ES modules have one Bank", () => {
  assert.equal(createRequire(import.meta.url)("./index.cjs").Bank, Bank);
});

test("one simulator for all copies of the kit in a process", { skip: isRunning && "it runs already" }, async (t) => {
  const require = createRequire(import.meta.url);
  for (const file of Object.keys(require.cache)) delete require.cache[file]; // Jest does the same for each file of tests
  const copy = require("./index.cjs");
  assert.notEqual(copy.Bank, Bank);
  const banks = [await start(t), await copy.Bank.start()];
  t.after(() => banks[1].close());
  const [one, other] = banks.map(({ baseUrl }) => new URL(baseUrl).host);
  assert.equal(one, other);
});

test("a simulator that runs already", async (t) => {
  const calls = [];
  const server = createServer((call, answer) => {
    calls.push(`${call.method} ${call.url} ${call.headers.authorization}`);
    answer.setHeader("Content-Type", "application/json").end('{"name": "b-1", "baseUrl": "http://10.0.0.2:8080/sandboxes/b-1", "findings": [], "notes": []}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const environment = { ...process.env };
  t.after(() => { process.env = environment; });
  const control = `127.0.0.1:${server.address().port}`;
  Object.assign(process.env, { BANKSIM_CONTROL: `${control}/`, BANKSIM_CONTROL_TOKEN: "secret", BANKSIM_SERVICE: "" });
  assert.equal((await Bank.start()).baseUrl, "http://10.0.0.2:8080/sandboxes/b-1");
  Object.assign(process.env, { BANKSIM_CONTROL: `http://${control}`, BANKSIM_SERVICE: "http://localhost:18080/" });
  const bank = await Bank.start();
  assert.equal(bank.baseUrl, "http://localhost:18080/sandboxes/b-1");
  await bank.close();
  assert.deepEqual(calls.slice(1), ["POST /v1/sandboxes Bearer secret", "GET /v1/sandboxes/b-1/verdict?after=0 Bearer secret",
    "DELETE /v1/sandboxes/b-1 Bearer secret"]);
  process.env.BANKSIM_CONTROL = "http://127.0.0.1:1";
  await assert.rejects(Bank.start(), /^Error: the simulator at http:\/\/127\.0\.0\.1:1 doesn't answer: /);
  process.env.BANKSIM_CONTROL = "http://:8081";
  await assert.rejects(Bank.start(), /^Error: BANKSIM_CONTROL is no URL such as .*: "http:\/\/:8081"$/);
});

test("the simulator ends with a process that is killed", { skip: isRunning && "it runs already" }, async () => {
  const program = `import { Bank } from "./index.mjs"; console.log((await Bank.start()).baseUrl); setInterval(() => {}, 1000);`;
  const runner = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: import.meta.dirname });
  const [baseUrl] = await once(runner.stdout, "data");
  await fetch(String(baseUrl).trim());
  runner.kill("SIGKILL");
  await assert.rejects(async () => {
    for (;;) await fetch(String(baseUrl).trim(), { signal: AbortSignal.timeout(10_000) });
  });
});

test("the app's error comes first, whatever it is", async () => {
  const frozen = Object.freeze(new Error("frozen"));
  for (const thrown of [new DOMException("late", "TimeoutError"), frozen, "a text", undefined]) {
    let bank;
    const failed = withBank((given) => {
      bank = given;
      throw thrown;
    })().then(() => assert.fail("it has passed"), (reason) => reason);
    assert.equal(await failed, thrown);
    await assert.rejects(bank.state(), /the bank is closed/);
  }
});

test("what would pass by a slip", async (t) => {
  const bank = await start(t);
  await assert.rejects(bank.verify({ operation: undefined, status: 200 }), /^TypeError: verify: operation is undefined/);
  await assert.rejects(bank.verify({ operation: "groups.list", header: { fiid: undefined } }), /fiid is undefined/);
  await assert.rejects(bank.inject({ operation: undefined, then: { status: 500 } }), /^TypeError: inject: operation is undefined/);
  await assert.rejects(bank.login(), /the hostUserId is missing/);
  await assert.rejects(bank.tokenStatus(), /token is missing/);
  assert.throws(() => withBank({ seed: 7 }), /withBank takes the function of a test/);
  const forgetful = withBank((given) => { given.verify({ operation: "groups.list" }).catch(() => {}); });
  await assert.rejects(forgetful(), /a call of the bank, such as verify, isn't awaited/);
  const forked = withBank(async (given) => (await given.fork()).inject({ operation: "jobs.get", then: { status: 500 } }));
  await assert.rejects(forked(), /never fired: 0 requests matched it/);
});
