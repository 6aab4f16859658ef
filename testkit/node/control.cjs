"use strict";
// Calls of the control API. Test environments and mocks replace fetch, URL and the agents of a process: none of them is used here.

const { Buffer } = require("node:buffer");
const http = require("node:http");
const https = require("node:https");
const { URL } = require("node:url");
const { outside } = require("./failure.cjs");

const callTimeout = 10_000; // ms

/** Control calls the control API of a simulator. */
class Control {
  #url;
  #token;

  constructor(url, token) {
    this.#url = url.replace(/\/+$/, "");
    this.#token = token;
  }

  /** call returns the JSON or the text of the answer. It throws the simulator's reason if the simulator refuses the call. */
  async call(method, path, body) {
    let answer;
    try {
      answer = await this.#exchange(method, path, body);
    } catch (cause) {
      throw outside(new Error(`the simulator at ${this.#url} doesn't answer: ${cause.message || cause.code}`, { cause }));
    }
    const content = /json/.test(answer.type) ? JSON.parse(answer.text) : answer.text;
    if (answer.status < 300) return content;
    throw outside(new Error(refusal(content, answer.status)));
  }

  /** open sends a request and returns it. Its answer goes to a function. */
  open(method, path, body, answered) {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = { "Content-Length": Buffer.byteLength(text) };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    const { request } = this.#url.startsWith("https:") ? https : http;
    return request(new URL(this.#url + path), { method, headers, agent: false }, answered).end(text);
  }

  #exchange(method, path, body) {
    return new Promise((resolve, reject) => {
      const request = this.open(method, path, body, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (part) => { text += part; });
        answer.on("error", reject);
        answer.on("end", () => resolve({ status: answer.statusCode, type: answer.headers["content-type"], text }));
      });
      request.setTimeout(callTimeout, () => request.destroy(new Error(`no answer within ${callTimeout / 1000} s`)));
      request.on("error", reject);
    });
  }
}

// refusal says what is wrong with a call, by the problem document that answered it.
function refusal({ detail, problems = [] }, status) {
  const places = problems.map((p) => `\n\t${p.line ? `${p.file}:${p.line}:${p.column}: ` : ""}${p.message}`);
  return `${detail ?? `the simulator has answered ${status}`}${places.join("")}`;
}

module.exports = { Control };
