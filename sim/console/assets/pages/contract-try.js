// A form that sends a request of an operation to the bank.

import { html, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { change, href } from "../route.js";
import { Button, Code, Copy, Facts, Field, Options, Problem, Status, micros, pretty } from "../ui.js";
import { Mint } from "./bank-user.js";

// pairs returns the names and values of {name: [values]}.
const pairs = (of) => Object.entries(of || {}).flatMap(([name, values]) => values.map((value) => [name, value]));

export function Try({ sandbox, info, of, example }) {
  const start = of.examples.find((e) => e.name === example) || of.examples.find((e) => e.response.status < 300 && !own(e)) || of.examples[0];
  const { request } = start;
  const [target, setTarget] = useState(request.path);
  const [query, setQuery] = useState(pairs(request.query));
  const [headers, setHeaders] = useState(pairs(request.headers));
  const [body, setBody] = useState(pretty(request.body || ""));
  const [answer, setAnswer] = useState(null);
  const users = useCall(at(sandbox, ["users"]));

  const search = new URLSearchParams(query.filter(([name]) => name)).toString();
  const whole = target + (search && "?" + search);
  const sent = headers.filter(([name]) => name);
  const send = useAction(async () => {
    setAnswer(null);
    const all = {};
    for (const [name, value] of sent) (all[name] ||= []).push(value);
    const got = await call(at(sandbox, ["requests"]), { body: { method: request.method, path: whole, headers: all, body } });
    setAnswer(got);
    return got.response ? `The bank answered ${got.response.status}.` : `No answer: ${got.lost}.`;
  });
  const authorize = (value) => setHeaders([...headers.filter(([name]) => name.toLowerCase() !== "authorization"), ["authorization", value]]);
  const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
  const curl = ["curl -i", request.method === "HEAD" ? "--head" : "-X " + request.method, quote(info.baseUrl + whole), ...sent.map(([name, value]) => "-H " + quote(value ? `${name}: ${value}` : name + ";")), ...(body ? ["--data-binary " + quote(body)] : [])].join(" ");

  return html`
    <${Field} as="select" label="Start from the golden exchange" value=${start.name} onInput=${(example) => change({ example })}>
      <${Options} value=${start.name} of=${of.examples.map((e) => [e.name, `${e.response.status} ${e.about || e.name}`])} />
    <//>
    ${own(start) && html`<p class="note">This exchange needs ${own(start)}. Without that, the answer may be another.</p>`}
    <form onSubmit=${(event) => {
      event.preventDefault();
      send.run();
    }}>
      <${Field} label=${"Path of the " + request.method} value=${target} onInput=${setTarget} hint=${"below " + info.baseUrl} />
      <${Pairs} title="Query" one="parameter" of=${query} set=${setQuery} known=${of.parameters.filter((p) => p.in === "query")} />
      <${Pairs} title="Headers" one="header" of=${headers} set=${setHeaders} known=${of.parameters.filter((p) => p.in === "header")} />
      <${Credentials} users=${users.data} set=${authorize} />
      ${(body !== "" || of.members?.length > 0) && html`<${Field} as="textarea" label="Body" value=${body} onInput=${setBody} />`}
      <p class="actions"><${Button} kind="main" type="submit" busy=${send.busy}>Send<//><${Copy} text=${curl} label="Copy as curl" /></p>
    </form>
    <${MintFor} sandbox=${sandbox} users=${users.data} set=${authorize} />
    <${Problem} error=${send.error} />
    ${answer && html`<${Answer} sandbox=${sandbox} of=${answer} expected=${start.response.status} />`}
  `;
}

// own returns what an exchange needs that a bank doesn't have by itself.
function own(example) {
  const needs = [];
  if (example.behavior) needs.push("the behaviour " + JSON.stringify(example.behavior));
  if (example.institutions) needs.push("institutions of its own");
  if (example.before) needs.push("requests before it");
  if (example.advance) needs.push("a clock that was advanced by " + example.advance);
  return needs.join(", ");
}

// Pairs are names with values, to edit, add and remove.
function Pairs({ title, one, of, set, known }) {
  const put = (i, pair) => set(of.map((old, j) => (i === j ? pair : old)));
  const id = "known-" + title;
  return html`<fieldset class="pairs">
    <legend>${title}</legend>
    <datalist id=${id}>${known.map((p) => html`<option value=${p.name}></option>`)}</datalist>
    ${of.map(([name, value], i) => {
      const about = known.find((p) => p.name.toLowerCase() === name.toLowerCase());
      return html`<div class="pair" key=${i}>
        <input aria-label=${`Name of ${one} ${i + 1}`} value=${name} list=${id} autocomplete="off" spellcheck="false" onInput=${(event) => put(i, [event.target.value, value])} />
        <input aria-label=${name || `Value of ${one} ${i + 1}`} value=${value} title=${about?.about} autocomplete="off" spellcheck="false" onInput=${(event) => put(i, [name, event.target.value])} />
        <button type="button" class="small" aria-label=${`Remove ${one} ${name}`} onClick=${() => set(of.filter((_, j) => j !== i))}>Remove</button>
      </div>`;
    })}
    <button type="button" class="small" onClick=${() => set([...of, ["", ""]])}>Add a ${one}</button>
  </fieldset>`;
}

// Credentials puts a token or a client that the scenario gave into the headers.
function Credentials({ users, set }) {
  if (!users) return null;
  const reach = new Map();
  for (const u of users.users) for (const t of u.tokens) reach.set(t, [...(reach.get(t) || []), u.hostUserId]);
  const options = [...reach].map(([t, ids]) => ["Bearer " + t, `token ${t} (${ids.length > 3 ? ids.length + " users" : ids.join(", ")})`]);
  for (const c of users.clients) if (c.secretKey) options.push(["Basic " + base64(`${c.sharedKey}:${c.secretKey}`), `client ${c.sharedKey} of ${c.institutionId}`]);
  if (options.length === 0) return null;
  return html`<${Field} as="select" label="Credentials that the scenario gives" value="" onInput=${(value) => value && set(value)}><${Options} of=${[["", "keep those above"], ...options]} value="" /><//>`;
}

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

// MintFor mints a token and puts it into the headers.
function MintFor({ sandbox, users, set }) {
  const institutions = [...new Set((users?.clients || []).map((c) => c.institutionId))];
  const [chosen, choose] = useState("");
  const institution = chosen || institutions[0];
  if (!institution) return null;
  return html`<details>
    <summary>Mint a token for the request</summary>
    <${Field} as="select" label="Institution" value=${institution} onInput=${choose}><${Options} of=${institutions} value=${institution} /><//>
    <${Mint} plain key=${institution} sandbox=${sandbox} institution=${institution} clients=${users.clients.filter((c) => c.institutionId === institution).map((c) => c.sharedKey)} onDone=${(minted) => set("Bearer " + minted.accessToken)} />
  </details>`;
}

function Answer({ sandbox, of, expected }) {
  const { response, lost, exchange } = of;
  return html`<div class="contract-answer">
    <h3>Answer</h3>
    <p>
      ${response ? html`<${Status} of=${response.status} />` : html`<${Status} of=${0} />`} ${lost} <span class="quiet">in ${micros(of.tookMicros)}${response && response.status !== expected ? `; the golden exchange has ${expected}` : ""}</span>
      ${exchange && html` <a href=${href("journal", sandbox, { exchange })}>Exchange ${exchange}: why?</a>`}
    </p>
    ${response?.body && html`<${Code} label="the body of the answer" text=${pretty(response.body)} />`} ${response?.bodyBase64 && html`<${Code} label="the body of the answer in Base64" text=${response.bodyBase64} />`}
    ${response && html`<details><summary>Headers</summary><${Facts} of=${pairs(response.headers)} /></details>`}
  </div>`;
}
