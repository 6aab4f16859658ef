// The same tests in each language: they show what a test kit promises.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { Bank } from "./index.js";

const groups = "/digitalbanking/groups/v3/groups";
let requests = 0;

// ask sends a request of an app, and returns its status; 0: the answer was lost.
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

const active = async (bank) => (await bank.state()).institutions[0].groups.filter((group) => group.groupStatus === "ACTIVE").length;

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
  const { accessToken } = await bank.call("POST", "/institutions/02688/tokens", { client: "demo-app", expiresIn: "15m" });
  assert.equal(await ask(bank, "GET", groups, undefined, accessToken), 200);
  const before = new Date((await bank.call("GET", "/clock")).now);
  assert.ok((await bank.advance("16m")) - before >= 16 * 60_000);
  assert.equal(await ask(bank, "GET", groups, undefined, accessToken), 401);
});

test("a fault fires as often as it says", async (t) => {
  const bank = await start(t);
  await bank.inject({ operation: "groups.list", when: { first: 2 }, then: { status: 503 } });
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push(await ask(bank, "GET", groups));
  assert.deepEqual(statuses, [503, 503, 200, 200]);
  await bank.verify({ operation: "groups.list", status: 503, exactly: 2 });
});

test("a verification that fails says why", async (t) => {
  const bank = await start(t);
  await createGroup(bank, "Night owls");
  await bank.verify({ operation: "groups.create", body: { groupName: "Night owls" }, exactly: 1 });
  await assert.rejects(bank.verify({ operation: "groups.create", body: { groupName: "Day birds" } }), {
    name: "AssertionError",
    message: 'expected requests (operation "groups.create", body.groupName "Day birds", at least 1): the bank had 0 such requests\n' +
      '\tnear miss: exchange 1, groups.create\n\t\tbody.groupName is "Night owls", not "Day birds"',
  });
});

test("what no request can fulfil is refused", async (t) => {
  const bank = await start(t);
  const misspelt = /unknown operation "groups.lst": did you mean "groups.list"\?/;
  await assert.rejects(bank.verify({ operation: "groups.lst", exactly: 0 }), misspelt);
  await assert.rejects(bank.inject({ operation: "groups.lst", then: { status: 500 } }), /did you mean "groups.list"/);
  await assert.rejects(Bank.start({ scenario: "retial" }), /did you mean "retail"/);
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
  assert.match(await bank.why(), /^ +Refused with 401/m);
  assert.equal(await bank.why("1"), await bank.why());
});

test("a fault that never fires fails the test", async () => {
  const bank = await Bank.start();
  await bank.inject({ name: "idle", operation: "groups.list", then: { status: 503 } });
  await assert.rejects(bank.close(), { name: "AssertionError", message: /^the fault idle never fired: 0 requests/ });
  await assert.rejects(bank.state(), /there is no sandbox/);
});

test("the simulator ends with a process that is killed", { skip: process.env.BANKSIM_CONTROL && "it runs already" }, async () => {
  const program = `import { Bank } from "./index.js"; console.log((await Bank.start()).baseUrl); setInterval(() => {}, 1000);`;
  const runner = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: import.meta.dirname });
  const [baseUrl] = await once(runner.stdout, "data");
  await fetch(String(baseUrl).trim());
  runner.kill("SIGKILL");
  await assert.rejects(async () => {
    for (;;) await fetch(String(baseUrl).trim(), { signal: AbortSignal.timeout(10_000) });
  });
});
