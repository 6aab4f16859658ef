// The page Contract: what the simulated interface takes and answers, and a form to try it.

import { html } from "../vendor/preact.js";
import { at } from "../api.js";
import { useCall } from "../hooks.js";
import { change, href } from "../route.js";
import { Card, Download, Field, Loaded, Status, Table, Tabs, Tag, breakable, plural, pretty } from "../ui.js";
import { Send, basic } from "./send.js";

const parts = { about: "Takes and answers", errors: "Errors", try: "Try it" };

export function Contract({ sandbox, params }) {
  const list = useCall("v1/operations");
  const text = (params.text || "").toLowerCase();
  const textOf = ({ name, title, path, errors }) => JSON.stringify([name, title, path, errors]).toLowerCase();
  const has = (operation) => textOf(operation).includes(text);
  const download = html`<${Download} from="v1/openapi.json" name="openapi.json">OpenAPI document<//>`;
  const filter = html`<${Field} label="Filter" type="search" value=${params.text || ""} 
    placeholder="a name, a path, …" onInput=${(text) => change({ text }, { replace: true })} />`;
  const row = (o) => html`<li key=${o.name} class=${o.name === params.op ? "chosen" : ""}>
    <a href=${href("contract", sandbox, { op: o.name, text: params.text, part: params.part })}
      aria-current=${o.name === params.op ? "true" : undefined}>${o.name}</a> <span>${o.title}</span>
    <code>${o.method} ${breakable(o.path)}</code>
  </li>`;
  const none = html`<p class="quiet">No operation has that.</p>`;
  const unknown = html`<p class="note">There is no operation “${params.op}”.</p>`;
  const about = (operation) => html`<aside><${Operation} key=${operation.name} sandbox=${sandbox} operation=${operation}
    params=${params} text=${text} /></aside>`;
  const page = ({ operations }) => {
    const op = operations.find((o) => o.name === params.op);
    const rows = operations.filter(has).map(row);
    return html`<div class=${params.op ? "split contract" : ""}>
      <${Card} title="Operations" actions=${download}>
        ${filter}
        <ul class="operations">${rows}</ul>
        ${rows.length === 0 && none}
      <//>
      ${params.op && (op ? about(op) : unknown)}
    </div>`;
  };
  return html`<${Loaded} from=${list}>${page}<//>`;
}

function Operation({ sandbox, operation, params, text }) {
  const part = parts[params.part] ? params.part : "about";
  const tabs = Object.keys(parts).map((key) => [key, parts[key], href("contract", sandbox,
    { op: operation.name, text: params.text, part: key })]);
  const close = html`<button type="button" class="small" onClick=${() => change({ op: "", part: "" })}>Close</button>`;
  const shown = {
    about: () => html`<${Takes} operation=${operation} />`,
    errors: () => html`<${Errors} sandbox=${sandbox} errors=${operation.errors} text=${text} />`,
    try: () => html`<${Try} sandbox=${sandbox} operation=${operation} />`,
  };
  return html`<${Card} id="contract-op-title" title=${operation.name} actions=${close}>
    <p>${operation.about} <${Tag} kind=${operation.changes ? "warn" : "plain"}>${operation.changes ? "changes the bank"
      : "only reads"}<//></p>
    <p><code>${operation.method} ${operation.path}</code></p>
    <${Tabs} label="Parts of the operation" value=${part} of=${tabs} />
    ${shown[part]()}
  <//>`;
}

function Takes({ operation }) {
  const tag = (is, word) => is && html` <${Tag}>${word}<//>`;
  const row = ({ name, required, secret, type, about, limits, ...p }) => html`<tr>
    <td><code>${name}</code>${tag(required, "required")}${tag(secret, "secret")}</td>
    <td>${type || p.in}</td>
    <td>${about} <span class="quiet">${limits}</span></td>
  </tr>`;
  const table = (caption, rows, column) => html`<h3>${caption}</h3>
    <${Table} caption=${caption} columns=${["Name", column, "About"]}>${rows.map(row)}<//>`;
  const body = operation.members?.length > 0 && table(`Members of the body, ${operation.bodyMedia}`,
    operation.members, "Type");
  const answer = (a) => html`<p><${Status} of=${a.status} /> ${a.about} <span
    class="quiet">${a.switch && `with ${a.switch}: ${a.value}`}</span></p>`;
  return html`${table("Parameters", operation.parameters, "In")}${body}
    <h3>Answers</h3>${operation.answers.map(answer)}`;
}

function Errors({ sandbox, errors, text }) {
  const textOf = (e) => `${e.status} ${e.code} ${e.message} ${e.rule}`.toLowerCase();
  const found = errors.filter((e) => text && textOf(e).includes(text));
  const match = found.length > 0 && `${found.length} of ${plural(errors.length, "error")} match the filter. `;
  const rule = (name) => html`<a href=${href("journal", sandbox, { text: name })}>${name}</a>`;
  const none = html`<${Tag}>faults only<//>`;
  const row = (e) => html`<p class="contract-error">
    <${Status} of=${e.status} /> <code>${e.code}</code> ${e.message} ${e.rule ? rule(e.rule) : none}
  </p>`;
  return html`<p class="hint">${match}An error with a rule is the bank’s own, and leads to the requests that it
      refused. The others come only from faults.</p>
    ${(match ? found : errors).map(row)}`;
}

// Try sends the operation's example, with a token, a user and a client of this sandbox.
function Try({ sandbox, operation: { example } }) {
  const known = useCall(at(sandbox, ["users"]));
  const form = ({ users, clients }) => {
    const user = users.find((u) => u.tokens.length > 0) || { tokens: [] };
    const { hostUserId, username, password, institutionId } = user;
    const withSecret = clients.filter((c) => c.secretKey);
    const client = withSecret.find((c) => c.institutionId === institutionId) || withSecret[0];
    const values = { "hostUserId=": hostUserId, "user-status/": hostUserId, "username=": username,
      "password=": password,
      userid: hostUserId, fiid: institutionId, institutionId,
      Bearer: user.tokens[0] && "Bearer " + user.tokens[0], Basic: client && basic(client) };
    const fill = (text) => text.replace(/(hostUserId=|user-status\/|username=|password=)[^&?]*/g,
      (_, name) => name + encodeURIComponent(values[name] ?? ""));
    const header = ([name, value]) => {
      if (name === "Authorization") return [name, values[value.split(" ", 1)[0]]];
      return [name, name in values ? values[name] : value];
    };
    const headers = Object.fromEntries(Object.entries(example.headers).map(header).filter(([, value]) =>
      value !== undefined));
    const request = { ...example, path: fill(example.path), headers, body: pretty(fill(example.body)) };
    return html`<${Send} sandbox=${sandbox} request=${request} />`;
  };
  return html`<${Loaded} from=${known}>${form}<//>`;
}
