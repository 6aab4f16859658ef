"use strict";
// Package banksim-testkit starts a simulated bank for each test, and asks it what the app did.

const { Bank } = require("./bank.cjs");
const { playwrightBank, vitestBank, withBank } = require("./withbank.cjs");

module.exports = { Bank, playwrightBank, vitestBank, withBank };
