"use strict";
// What the errors of failed tests show.

/** outside takes the frames of the kit out of an error's stack: runners show the code of the first frame that is left. */
function outside(error) {
  const isOwn = (line) => line.includes(__dirname) && /\.cjs:\d/.test(line);
  error.stack = error.stack.split("\n").filter((line) => !isOwn(line)).join("\n");
  return error;
}

/** appendRequests appends the last requests of a bank to the message of an error, each with the decision behind its answer. */
async function appendRequests(error, bank) {
  const text = await bank.call("GET", "/journal?format=text&limit=20").catch(() => ""); // the error itself is what matters
  if (!text || typeof error?.message !== "string") return;
  const { message, stack } = error;
  error.message = `${message}\n\nthe requests of the bank:\n${text.trimEnd()}\n`;
  if (error.generatedMessage) error.generatedMessage = false; // Jest doesn't show a generated message
  if (stack?.includes(message)) error.stack = stack.replace(message, () => error.message); // which runners print
}

/** comparison returns an expectation and, in its shape, what the bank had instead: the count and the nearest miss. */
function comparison(expectation, { matched, nearMisses: [nearest] }) {
  const expected = { ...expectation };
  if (!["exactly", "atLeast", "atMost"].some((count) => count in expected)) expected.atLeast = 1;
  const actual = JSON.parse(JSON.stringify(expected));
  if (expected.exactly !== undefined) actual.exactly = matched;
  else if (matched > expected.atMost) actual.atMost = matched;
  else actual.atLeast = matched;
  for (const { field, got } of nearest?.differences ?? []) set(actual, field.split("."), got);
  return { expected, actual };
}

// set sets a member at a path such as body.groupName.
function set(object, [name, ...rest], value) {
  if (rest.length === 0) object[name] = value;
  else if (object[name] instanceof Object) set(object[name], rest, value);
}

module.exports = { appendRequests, comparison, outside };
