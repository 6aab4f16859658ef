// The cases that every kit has to pass. Each is a test: it has to pass, or to fail with some words.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { withBank } from "./index.mjs";

const file = process.env.BANKSIM_CASES || join(import.meta.dirname, "../cases.json");

// send sends a request, whose answer a fault may lose, on a connection of its own.
async function send(bank, { method, path, headers = {}, body, token }) {
  if (token) headers.Authorization = `Bearer ${await bank.token()}`;
  await new Promise((resolve) => {
    const sent = request(bank.baseUrl + path, { method, headers, agent: false }, (answer) => {
      answer.on("error", resolve).on("end", resolve).resume();
    });
    sent.on("error", resolve).end(body);
  });
}

const steps = {
  inject: (bank, fault) => bank.inject(fault),
  injectNone: (bank) => bank.inject(),
  call: send,
  control: (bank, { method, path, body }) => bank.call(method, path, body),
  clearFaults: (bank) => bank.clearFaults(),
  reset: (bank) => bank.reset(),
  verify: (bank, expectation) => bank.verify(expectation),
  verifyInOrder: (bank, expectations) => bank.verifyInOrder(...expectations),
  eventually: (bank, { within, ...expectation }) => bank.eventually(within, expectation),
  noLints: (bank) => bank.noLints(),
};

for (const { name, scenarioYaml, steps: taken, fails, says = [] } of JSON.parse(readFileSync(file, "utf8"))) {
  test(name, async (t) => {
    let said = "";
    t.mock.method(console, "warn", (text) => { said += `${text}\n`; });
    const run = withBank({ scenarioYaml }, async (bank) => {
      for (const one of taken) {
        const [[kind, value]] = Object.entries(one);
        await steps[kind](bank, value);
      }
    });
    const error = await run().then(() => undefined, (reason) => reason);
    if (!fails && error) throw error;
    if (fails) assert.ok(error, "the test has passed");
    for (const words of [...(fails ?? []), ...says]) assert.ok((said + error?.message).includes(words), `${words}\n---\n${said}${error?.message}`);
  });
}
