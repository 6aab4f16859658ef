// An app that knows its bank by name. Run by TestFixedHost: node client.mjs VERSION FILE sends the requests of the file, and
// prints the status and the HTTP version of each answer.
import { readFileSync } from "node:fs";
import http2 from "node:http2";
import https from "node:https";

const bank = "https://api.bank.example";
const [version, file] = process.argv.slice(2);

function send1(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const request = https.request(bank + path, { method, headers, timeout: 10_000 }, (answer) => {
      answer.resume().on("end", () => resolve([answer.statusCode, answer.httpVersion]));
    });
    request.on("error", reject).on("timeout", () => request.destroy(new Error("no answer"))).end(body);
  });
}

let session;

function send2(method, path, headers, body) {
  session ??= http2.connect(bank);
  return new Promise((resolve, reject) => {
    session.on("error", reject);
    const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: !body });
    let status;
    stream.setTimeout(10_000, () => stream.destroy(new Error("no answer")));
    stream.on("response", (h) => (status = h[":status"])).on("error", reject);
    stream.resume().on("end", () => resolve([status, session.alpnProtocol === "h2" ? "2" : "?"]));
    if (body) stream.end(body);
  });
}

for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
  const [method, path, sent, ...fields] = line.split("\t");
  const headers = Object.fromEntries(fields.map((field) => field.split(": ")));
  const body = sent === "-" ? undefined : sent.startsWith("@") ? readFileSync(sent.slice(1)) : sent;
  if (body) headers["Content-Length"] = Buffer.byteLength(body);
  console.log(...(await (version === "2" ? send2 : send1)(method, path, headers, body)));
}
session?.close();
