// The start of the simulator. Node runs each file of tests in a process of its own, and this one's has no simulator at first.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Bank } from "./index.mjs";

const program = process.env.BANKSIM || "banksim";
delete process.env.BANKSIM_CONTROL;

// use has the kit start a script instead of the program.
function use(t, script) {
  const folder = mkdtempSync(join(tmpdir(), "banksim-start-"));
  t.after(() => rmSync(folder, { recursive: true }));
  process.env.BANKSIM = join(folder, "banksim");
  writeFileSync(process.env.BANKSIM, `#!/bin/sh\n${script}\n`);
  chmodSync(process.env.BANKSIM, 0o755);
}

test("a program that ends shows its last lines", async (t) => {
  use(t, "for i in $(seq 12); do echo line $i >&2; done; exit 3");
  await assert.rejects(Bank.start(), {
    message: `banksim didn't start: it has ended with exit code 3${[3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => `\n\tline ${n}`).join("")}`,
  });
});

test("a program that isn't ready in time", async (t) => {
  use(t, "echo waiting for a disk >&2; exec sleep 60");
  await assert.rejects(Bank.start({ startTimeout: 500 }), {
    message: "banksim didn't start: it isn't ready after 500 ms (see startTimeout)\n\twaiting for a disk",
  });
});

test("a program that isn't there", async () => {
  process.env.BANKSIM = "/nowhere/banksim";
  await assert.rejects(Bank.start(), /^Error: banksim didn't start: .*ENOENT: put it on the PATH, or name it in the variable BANKSIM$/);
});

test("the program gets the token, and no other option", async (t) => {
  process.env.BANKSIM_CONTROL_TOKEN = "secret";
  t.after(() => { delete process.env.BANKSIM_CONTROL_TOKEN; });
  use(t, "env | grep BANKSIM_ >&2; exit 3");
  await assert.rejects(Bank.start(), /exit code 3\n\tBANKSIM_CONTROL_TOKEN=secret$/);
});

test("a start survives warnings, mocks and others at a time", async (t) => {
  use(t, `echo $$ >$0.pid; echo a warning >&2; exec ${program} "$@"`);
  t.mock.method(globalThis, "fetch", () => assert.fail("requests are forbidden")); // as undici's MockAgent has it
  t.mock.method(http, "request", () => assert.fail("requests are forbidden")); // as nock and msw have it
  t.mock.timers.enable();
  const banks = await Promise.all([Bank.start(), Bank.start()]);
  assert.equal(new Set(banks.map(({ baseUrl }) => new URL(baseUrl).host)).size, 1);
  await Promise.all(banks.map((bank) => bank.close()));

  process.kill(Number(readFileSync(`${process.env.BANKSIM}.pid`, "utf8")), "SIGKILL");
  let other; // on another simulator, once the kit has noticed that the first one has ended
  while (!other) other = await Bank.start().catch(({ message }) => assert.match(message, /^the simulator ended \(SIGKILL\)\n\ta warning$/));
  await other.close();
});
