// The page Contract: what the simulated interface takes and answers, and a form to try it.

import { html } from "../vendor/preact.js";
import { at } from "../api.js";
import { useCall } from "../hooks.js";
import { change, href } from "../route.js";
import { Card, Download, Field, Loaded, Status, Table, Tabs, Tag, plural, pretty } from "../ui.js";
import { Send } from "./send.js";

const parts = { about: "Takes and answers", errors: "Errors", try: "Try it" };

export function Contract({ sandbox, params }) {
  const list = useCall("v1/operations");
  const text = (params.text || "").toLowerCase();
  const has = ({ name, title, path, errors }) => JSON.stringify([name, title, path, errors]).toLowerCase().includes(text);
  return html`<${Loaded} from=${list}>${({ operations }) => {
    const op = operations.find((o) => o.name === params.op);
    const shown = operations.filter(has);
    return html`<div class=${params.op ? "split contract" : ""}>
      <${Card} title="Operations" actions=${html`<${Download} from="v1/openapi.json" name="openapi.json">OpenAPI document<//>`}>
        <${Field} label="Filter" type="search" value=${params.text || ""} placeholder="a name, a path, an error code …"
          onInput=${(text) => change({ text }, { replace: true })} />
        <ul class="operations">${shown.map((o) => html`<li key=${o.name} class=${o === op ? "chosen" : ""}>
          <a href=${href("contract", sandbox, { op: o.name, text: params.text, part: params.part })}
            aria-current=${o === op ? "true" : undefined}>${o.name}</a> <span>${o.title}</span>
          <code>${o.method} ${o.path}</code>
        </li>`)}</ul>
        ${shown.length === 0 && html`<p class="quiet">No operation has that.</p>`}
      <//>
      ${params.op && !op && html`<p class="problem" role="alert">There is no operation “${params.op}”.</p>`}
      ${op && html`<aside><${Operation} key=${op.name} sandbox=${sandbox} of=${op} params=${params} text=${text} /></aside>`}
    </div>`;
  }}<//>`;
}

function Operation({ sandbox, of, params, text }) {
  const part = parts[params.part] ? params.part : "about";
  const to = (part) => href("contract", sandbox, { op: of.name, text: params.text, part: part === "about" ? "" : part });
  return html`<${Card} id="contract-op-title" title=${of.name} actions=${html`<button type="button" class="small"
    onClick=${() => change({ op: "", part: "" })}>Close</button>`}>
    <p>${of.about} ${of.changes ? html`<${Tag} kind="warn">changes the bank<//>` : html`<${Tag}>only reads<//>`}</p>
    <p><code>${of.method} ${of.path}</code></p>
    <${Tabs} label="Parts of the operation" value=${part} of=${Object.keys(parts).map((key) => [key, parts[key], to(key)])} />
    ${part === "about" && html`<${Takes} of=${of} />`}
    ${part === "errors" && html`<${Errors} sandbox=${sandbox} of=${of.errors} text=${text} />`}
    ${part === "try" && html`<${Try} sandbox=${sandbox} of=${of} />`}
  <//>`;
}

function Takes({ of }) {
  const table = (caption, rows, column, what) => html`<h3>${caption}</h3>
    <${Table} caption=${caption} columns=${["Name", column, "About"]}>${rows.map((row) => html`<tr>
      <td><code>${row.name}</code>${row.required && html` <${Tag}>required<//>`}${row.secret && html` <${Tag} kind="warn">secret<//>`}</td>
      <td>${what(row)}</td><td>${row.about} <span class="quiet">${row.limits}</span></td></tr>`)}<//>`;
  return html`${table("Parameters", of.parameters, "In", (p) => p.in)}
    ${of.members?.length > 0 && table(`Members of the body, ${of.bodyMedia}`, of.members, "Type", (m) => m.type)}
    <h3>Answers</h3>
    ${of.answers.map((a) => html`<p><${Status} of=${a.status} /> ${a.about} ${a.switch && html`<span
      class="quiet">with <code>${a.switch}: ${a.value}</code></span>`}</p>`)}`;
}

function Errors({ sandbox, of, text }) {
  const found = of.filter((e) => text && `${e.status} ${e.code} ${e.message} ${e.rule}`.toLowerCase().includes(text));
  return html`<p class="hint">${found.length > 0 && `${found.length} of ${plural(of.length, "error")} match the filter. `}An error with a
      rule is the bank’s own, and leads to the requests that it refused. The others come only from faults.</p>
    ${(found.length > 0 ? found : of).map((e) => html`<p class="contract-error"><${Status} of=${e.status} /> <code>${e.code}</code> ${e.message} ${
      e.rule ? html`<a href=${href("journal", sandbox, { text: e.rule })}>${e.rule}</a>` : html`<${Tag}>faults only<//>`}</p>`)}`;
}

// Try sends the operation's example. A token, a user and a client of this sandbox stand in place of those in the example.
function Try({ sandbox, of: { example } }) {
  const known = useCall(at(sandbox, ["users"]));
  return html`<${Loaded} from=${known}>${({ users, clients }) => {
    const { hostUserId, username, password, institutionId, tokens: [token] } = users.find((u) => u.tokens.length > 0) || { tokens: [] };
    const client = clients.find((c) => c.secretKey && c.institutionId === institutionId) || clients.find((c) => c.secretKey);
    const values = { "hostUserId=": hostUserId, "user-status/": hostUserId, "username=": username, "password=": password,
      userid: hostUserId, fiid: institutionId, institutionId, Bearer: token, Basic: client && btoa(`${client.sharedKey}:${client.secretKey}`) };
    const fill = (text) => text.replace(/(hostUserId=|user-status\/|username=|password=)[^&?]*/g,
      (_, name) => name + encodeURIComponent(values[name] ?? ""));
    const header = ([name, value]) => {
      const scheme = value.split(" ", 1)[0];
      return [name, name === "Authorization" ? values[scheme] && `${scheme} ${values[scheme]}` : name in values ? values[name] : value];
    };
    const headers = Object.fromEntries(Object.entries(example.headers).map(header).filter(([, value]) => value !== undefined));
    return html`<${Send} sandbox=${sandbox} request=${{ ...example, path: fill(example.path), headers, body: pretty(fill(example.body)) }} />`;
  }}<//>`;
}
