"use strict";
// What the errors of failed tests show.

const { AssertionError } = require("node:assert");

/** outside takes the frames of the kit out of an error's stack: runners show the code of the first frame that is left. */
function outside(error) {
  const isOwn = (line) => line.includes(__dirname) && /\.cjs:\d/.test(line) || line.includes("at new AssertionError (node:");
  error.stack = error.stack.split("\n").filter((line) => !isOwn(line)).join("\n");
  return error;
}

/** failure returns an AssertionError, with the stack of another error if that is given. */
function failure(message, stack) {
  const error = new AssertionError({ message, operator: "fail" });
  if (!stack) return outside(error);
  error.stack = stack.replace("Error", () => `AssertionError [ERR_ASSERTION]: ${message}`);
  return error;
}

module.exports = { failure, outside };
