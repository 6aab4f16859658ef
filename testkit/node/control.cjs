"use strict";
// Calls of the control API. Test environments and mocks replace fetch, URL and the agents of a process: none of them is used here.

const { Buffer } = require("node:buffer");
const requests = { "http:": require("node:http").request, "https:": require("node:https").request }; // the real ones
const { URL } = require("node:url");
const { outside } = require("./failure.cjs");

const callTimeout = 10_000; // ms

/** Control calls the control API of a simulator. */
class Control {
  #token;
  #explain; // resolves to why there is no simulator any more, or undefined

  constructor(url, token, explain = () => undefined) {
    this.url = url.replace(/\/+$/, "");
    this.#token = token;
    this.#explain = explain;
  }

  /** call returns the JSON or the text of the answer. It throws the simulator's reason if the simulator refuses the call. */
  async call(method, path, body, patience = 0) {
    let answer;
    try {
      answer = await this.#exchange(method, path, body, callTimeout + patience);
    } catch (cause) {
      const reason = await this.#explain() ?? `the simulator at ${this.url} doesn't answer: ${cause.message || cause.code}`;
      throw outside(new Error(reason, { cause }));
    }
    const content = /json/.test(answer.type) ? JSON.parse(answer.text) : answer.text;
    if (answer.status < 300) return content;
    throw outside(new Error(refusal(content, answer.status, this.url)));
  }

  /** open sends a request and returns it. Its answer goes to a function. */
  open(method, path, body, answered) {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = { "Content-Length": Buffer.byteLength(text) };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    const target = new URL(this.url + path);
    return requests[target.protocol](target, { method, headers, agent: false }, answered).end(text);
  }

  #exchange(method, path, body, limit) {
    return new Promise((resolve, reject) => {
      const request = this.open(method, path, body, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (part) => { text += part; });
        answer.on("error", reject);
        answer.on("end", () => resolve({ status: answer.statusCode, type: answer.headers["content-type"], text }));
      });
      request.setTimeout(limit, () => request.destroy(new Error(`no answer within ${limit / 1000} s`)));
      request.on("error", reject);
    });
  }
}

// refusal says what is wrong with a call, by the problem document that answered it.
function refusal(content, status, url) {
  if (status === 401) return "the simulator wants another control token: set BANKSIM_CONTROL_TOKEN";
  if (content?.detail === undefined) return `${url} answers ${status}, and not as a control API does: check BANKSIM_CONTROL`;
  const { detail, problems = [] } = content;
  const places = problems.map((p) => `\n\t${p.file?.endsWith(".yaml") ? `${p.file}:${p.line}:${p.column}: ` : ""}${p.message}`);
  return detail + places.join("");
}

module.exports = { Control };
