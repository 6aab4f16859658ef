// The page Contract: what the simulated interface takes and answers, and why.

import { html, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { change, href } from "../route.js";
import { Basis, Button, Card, Code, Copy, Download, Facts, Field, Loaded, Options, Problem, Status, Table, Tabs, Tag, micros, plural,
  pretty } from "../ui.js";
import { Mint } from "./bank-user.js";

const parts = { about: "Takes and answers", errors: "Errors", ledger: "Ledger", try: "Try it" };

export function Contract({ sandbox, params, info }) {
  const list = useCall("v1/operations");
  const text = (params.text || "").toLowerCase();
  const has = (value) => JSON.stringify(value).toLowerCase().includes(text);
  const all = list.data?.operations || [];
  const shown = all.filter((o) => !text || has({ ...o, examples: 0 }));
  const op = all.find((o) => o.name === params.op);
  return html`<${Loaded} from=${list}>
    ${() => html`<div class=${params.op ? "split contract" : ""}>
      <${Card} title="Operations" actions=${html`<${Download} from="v1/openapi.json" name="openapi.json">OpenAPI document<//>`}>
        <div class="row"><${Field} label="Filter" type="search" value=${params.text || ""} placeholder="a name, a path, an error code …"
          onInput=${(text) => change({ text }, { replace: true })} /></div>
        <ul class="operations">
          ${shown.map((o) => html`<li key=${o.name} class=${o === op ? "chosen" : ""}>
            <a href=${href("contract", sandbox, { op: o.name, text: params.text, part: params.part })}
              aria-current=${o === op ? "true" : undefined}>${o.name}</a> <span>${o.title}</span>
            <code>${o.method} ${o.path}</code>
          </li>`)}
        </ul>
        ${shown.length === 0 && html`<p class="quiet">No operation has that.</p>`}
      <//>
      ${params.op && !op && html`<p class="problem" role="alert">There is no operation “${params.op}”.</p>`}
      ${op && html`<aside><${Operation} key=${op.name} sandbox=${sandbox} info=${info} of=${op} ledger=${list.data.ledger}
        params=${params} text=${text} /></aside>`}
    </div>`}
  <//>`;
}

function Operation({ sandbox, info, of, ledger, params, text }) {
  const known = new Map(ledger.map((e) => [e.id, e]));
  const part = parts[params.part] ? params.part : "about";
  const to = (part) => href("contract", sandbox, { op: of.name, text: params.text, part: part === "about" ? "" : part });
  return html`<${Card} id="contract-op-title" title=${of.name} actions=${html`<button type="button" class="small"
    onClick=${() => change({ op: "", part: "" })}>Close</button>`}>
    <p>${of.about} ${of.changes ? html`<${Tag} kind="warn">changes the bank<//>` : html`<${Tag}>only reads<//>`}</p>
    <p><code>${of.method} ${of.path}</code></p>
    <${Tabs} label="Parts of the operation" value=${part} of=${Object.keys(parts).map((key) => [key, parts[key], to(key)])} />
    ${part === "about" && html`<${Takes} of=${of} known=${known} />`} ${part === "errors" && html`<${Errors} of=${of} known=${known}
      text=${text} />`}
    ${part === "ledger" && html`<${Ledger} of=${of.entries.map((id) => known.get(id)).filter(Boolean)} text=${text} />`}
    ${part === "try" && html`<${Try} key=${of.name} sandbox=${sandbox} info=${info} of=${of} />`}
  <//>`;
}

function Takes({ of, known }) {
  return html`
    <h3>Parameters</h3>
    <${Table} caption="Parameters" columns=${["Name", "In", "About"]}>
      ${of.parameters.map((p) => html`<tr><td><code>${p.name}</code>${p.required && html` <${Tag}>required<//>`}</td><td>${p.in}</td>
        <td>${p.about} ${p.limits && html`<span class="quiet">${p.limits}</span>`}</td></tr>`)}
    <//>
    ${of.members?.length > 0 && html`<h3>Members of the body <small class="quiet">${of.bodyMedia}</small></h3>
      <${Table} caption="Members of the body" columns=${["Name", "Type", "About"]}>
        ${of.members.map((m) => html`<tr><td><code>${m.name}</code>${m.required && html` <${Tag}>required<//>`}${m.secret && html` <${Tag}
          kind="warn">secret<//>`}</td><td>${m.type}</td><td>${m.about} ${m.limits && html`<span
          class="quiet">${m.limits}</span>`}</td></tr>`)}
      <//>`}
    <h3>Answers</h3>
    ${of.answers.map((a) => html`<div><p><${Status} of=${a.status} /> ${a.about} ${a.switch && html`<span
      class="quiet">with <code>${a.switch}: ${a.value}</code></span>`}</p><${Entries} of=${a.entries} known=${known} /></div>`)}
  `;
}

function Errors({ of, known, text }) {
  const found = of.errors.filter((e) => text && `${e.status} ${e.code} ${e.message} ${e.rule}`.toLowerCase().includes(text));
  const shown = found.length > 0 ? found : of.errors;
  return html`
    <p class="hint">${found.length > 0 ? `${found.length} of ${plural(of.errors.length, "error")} match the filter. `
      : ""}An error with a rule is the bank’s own; the others come from faults only.</p>
    ${shown.map((e) => html`<div class="contract-error">
      <p><${Status} of=${e.status} /> <code>${e.code}</code> ${e.message} ${e.rule ? html`<${Tag} kind="accent"
        title="the rule that refuses">${e.rule}<//>` : html`<${Tag}>faults only<//>`}</p>
      <${Entries} of=${e.entries} known=${known} />
    </div>`)}
  `;
}

// Entries are entries of the ledger, folded.
function Entries({ of, known }) {
  const entries = of.map((id) => known.get(id)).filter(Boolean);
  if (entries.length === 0) return null;
  const bases = [...new Set(entries.map((e) => e.basis))].join(", ");
  return html`<details><summary>Rests on ${plural(entries.length, "entry", "entries")}: ${bases}</summary>
    <${Ledger} of=${entries} /></details>`;
}

// Ledger shows entries of the ledger: question, answer, what the answer rests on, and the switch for another one.
function Ledger({ of, text }) {
  const found = text ? of.filter((e) => JSON.stringify(e).toLowerCase().includes(text)) : [];
  return html`<dl class="ledger">
    ${(found.length > 0 ? found : of).map((e) => html`<div key=${e.id}>
      <dt>${e.question} <${Basis} of=${e.basis} /></dt>
      <dd>
        ${e.answer} <span class="quiet">(<code>${e.id}</code>; ${e.source})</span>
        ${e.switch && html`<ul>
          <li><code>${e.switch.key}: ${String(e.switch.default)}</code> is the default</li>
          ${e.switch.alternatives.map((a) => html`<li><code>${e.switch.key}: ${String(a.value)}</code> ${a.answer} <${Basis}
            of=${a.basis} /></li>`)}
        </ul>`}
      </dd>
    </div>`)}
  </dl>`;
}

// A form that sends a request of an operation to the bank.

// pairs returns the names and values of {name: [values]}.
const pairs = (of) => Object.entries(of || {}).flatMap(([name, values]) => values.map((value) => [name, value]));

export function Try({ sandbox, info, of }) {
  const { request, response } = of.examples[0];
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
  const authorize = (value) => setHeaders([...headers.filter(([name]) => name.toLowerCase() !== "authorization"),
    ["authorization", value]]);
  const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
  const curl = ["curl -i", request.method === "HEAD" ? "--head" : "-X " + request.method, quote(info.baseUrl + whole),
    ...sent.map(([name, value]) => "-H " + quote(value ? `${name}: ${value}` : name + ";")),
    ...(body ? ["--data-binary " + quote(body)] : [])].join(" ");

  return html`
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
    ${answer && html`<${Answer} sandbox=${sandbox} of=${answer} expected=${response.status} />`}
  `;
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
        <input aria-label=${`Name of ${one} ${i + 1}`} value=${name} list=${id} autocomplete="off" spellcheck="false"
          onInput=${(event) => put(i, [event.target.value, value])} />
        <input aria-label=${name || `Value of ${one} ${i + 1}`} value=${value} title=${about?.about} autocomplete="off" spellcheck="false"
          onInput=${(event) => put(i, [name, event.target.value])} />
        <button type="button" class="small" aria-label=${`Remove ${one} ${name}`}
          onClick=${() => set(of.filter((_, j) => j !== i))}>Remove</button>
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
  for (const c of users.clients) if (c.secretKey) options.push(["Basic " + base64(`${c.sharedKey}:${c.secretKey}`),
    `client ${c.sharedKey} of ${c.institutionId}`]);
  if (options.length === 0) return null;
  return html`<${Field} as="select" label="Credentials that the scenario gives" value=""
    onInput=${(value) => value && set(value)}><${Options} of=${[["", "keep those above"], ...options]} value="" /><//>`;
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
    <${Field} as="select" label="Institution" value=${institution} onInput=${choose}><${Options} of=${institutions}
      value=${institution} /><//>
    <${Mint} plain key=${institution} sandbox=${sandbox} institution=${institution}
      clients=${users.clients.filter((c) => c.institutionId === institution).map((c) => c.sharedKey)}
      onDone=${(minted) => set("Bearer " + minted.accessToken)} />
  </details>`;
}

function Answer({ sandbox, of, expected }) {
  const { response, lost, exchange } = of;
  return html`<div class="contract-answer">
    <h3>Answer</h3>
    <p>
      ${response ? html`<${Status} of=${response.status} />` : html`<${Status} of=${0} />`} ${lost} <span
        class="quiet">in ${micros(of.tookMicros)}${response && response.status !== expected ? `; the example has ${expected}` : ""}</span>
      ${exchange && html` <a href=${href("journal", sandbox, { exchange })}>Exchange ${exchange}: why?</a>`}
    </p>
    ${response?.body && html`<${Code} label="the body of the answer" text=${pretty(response.body)} />`}
    ${response && html`<details><summary>Headers</summary><${Facts} of=${pairs(response.headers)} /></details>`}
  </div>`;
}
