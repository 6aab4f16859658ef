"use strict";

const { Bank, appendReport } = require("./bank.cjs");

/** withBank returns the function of a test: it starts a bank, runs a function with it, and closes the bank. */
function withBank(...args) {
  const test = args.pop();
  if (typeof test !== "function") throw new TypeError("withBank takes the function of a test");
  const [plan] = args;
  return async function withBank(...context) { // Mocha gives its context as this
    const bank = await Bank.start(plan);
    await endWith(bank, () => test.call(this, bank, ...context));
  };
}

// endWith runs the use of a bank, and closes the bank. An error of the use comes before what the bank says.
async function endWith(bank, use) {
  try {
    await use();
  } catch (error) {
    await appendReport(error, bank).finally(() => bank.discard());
    throw error;
  }
  await bank.close();
}

/** vitestBank is a fixture for Vitest: test.extend({ bank: vitestBank() }). */
function vitestBank(plan) {
  return async ({ task }, use) => {
    const bank = await Bank.start(plan);
    await use(bank);
    await endFailed(bank, task.result?.errors?.[0], task.result?.state === "fail");
  };
}

/** playwrightBank is a fixture for Playwright: test.extend({ bank: playwrightBank() }). It attaches the report of a test that fails. */
function playwrightBank(plan) {
  // eslint-disable-next-line no-empty-pattern
  return async ({}, use, info) => {
    const bank = await Bank.start(plan);
    await use(bank);
    const failed = info.status !== info.expectedStatus;
    if (failed) {
      const body = await bank.report().catch(({ message }) => message); // the failure of the test is what matters
      await info.attach("the bank's report", { body, contentType: "text/plain" });
    }
    await endFailed(bank, undefined, failed || info.status === "skipped");
  };
}

async function endFailed(bank, error, failed) {
  if (!failed) return bank.close();
  if (error) await appendReport(error, bank);
  return bank.discard();
}

module.exports = { withBank, vitestBank, playwrightBank };
