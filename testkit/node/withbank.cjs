"use strict";

const { Bank } = require("./bank.cjs");
const { appendRequests } = require("./failure.cjs");

/** withBank returns the function of a test: it starts a bank, runs a function with it, and closes the bank. */
function withBank(...args) {
  const test = args.pop();
  const [plan] = args;
  return async () => {
    const bank = await Bank.start(plan);
    try {
      await test(bank);
    } catch (error) {
      await appendRequests(error, bank);
      await bank.call("DELETE", "").catch(() => {}); // the test has failed already
      throw error;
    }
    await bank.close();
  };
}

module.exports = { withBank };
