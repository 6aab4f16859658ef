// The page Contract: what the simulated interface takes and answers, and why.

import { html } from "../vendor/preact.js";
import { call, hasToken, path, save, url } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { useKeys } from "../keys.js";
import { change, href } from "../route.js";
import { Basis, Button, Card, Code, Field, Loaded, Problem, Status, Table, Tabs, Tag, plural } from "../ui.js";
import { Try } from "./contract-try.js";

const parts = { about: "Takes and answers", errors: "Errors", ledger: "Ledger", try: "Try it" };

export function Contract({ sandbox, params, info }) {
  return html`
    <${Tabs} label="Parts of the contract" value=${params.control ? "control" : "bank"} of=${[["bank", "The simulated interface", href("contract", sandbox)], ["control", "The control API", href("contract", sandbox, { control: 1 })]]} />
    ${params.control ? html`<${Control} sandbox=${sandbox} text=${params.text || ""} />` : html`<${Operations} sandbox=${sandbox} params=${params} info=${info} />`}
  `;
}

// OpenAPI saves a document. It is fetched, since a link couldn't send the control token.
function OpenAPI({ from, name, children }) {
  const get = useAction(async () => {
    save(name, JSON.stringify(await call(from), null, 2), "application/json");
    return `${name} was saved.`;
  });
  return html`<${Button} busy=${get.busy} onClick=${get.run}>${children}<//><${Problem} error=${get.error} />`;
}

function Operations({ sandbox, params, info }) {
  const list = useCall("v1/operations");
  const text = (params.text || "").toLowerCase();
  const has = (value) => JSON.stringify(value).toLowerCase().includes(text);
  const all = list.data?.operations || [];
  const shown = all.filter((o) => !text || has({ ...o, examples: 0 }));
  const step = (n) => {
    const next = shown[Math.min(Math.max(shown.findIndex((o) => o.name === params.op) + n, 0), shown.length - 1)];
    if (next) change({ op: next.name, example: "" }, { replace: true });
  };
  useKeys({ j: () => step(1), k: () => step(-1), Escape: () => (params.op ? change({ op: "", part: "", example: "" }) : false), Enter: () => (params.op ? document.getElementById("contract-op")?.focus() : false) });
  const op = all.find((o) => o.name === params.op);
  return html`<${Loaded} from=${list}>
    ${() => html`<div class=${params.op ? "split contract" : ""}>
      <${Card} title="Operations" actions=${html`<${OpenAPI} from=${path(["openapi.json"], { sandbox })} name=${`${sandbox}-openapi.json`}>OpenAPI of this sandbox<//>`}>
        <div class="row"><${Field} label="Filter" type="search" data-filter="yes" value=${params.text || ""} placeholder="a name, a path, an error code …" onInput=${(text) => change({ text }, { replace: true })} /></div>
        <ul class="operations">
          ${shown.map((o) => html`<li key=${o.name} class=${o === op ? "chosen" : ""}>
            <a href=${href("contract", sandbox, { op: o.name, text: params.text, part: params.part })} aria-current=${o === op ? "true" : undefined}>${o.name}</a> <span>${o.title}</span>
            <code>${o.method} ${o.path}</code>
          </li>`)}
        </ul>
        ${shown.length === 0 && html`<p class="quiet">No operation has that.</p>`}
      <//>
      ${params.op && !op && html`<p class="problem" role="alert">There is no operation “${params.op}”.</p>`}
      ${op && html`<aside><${Operation} key=${op.name} sandbox=${sandbox} info=${info} of=${op} params=${params} text=${text} /></aside>`}
    </div>`}
  <//>`;
}

function Operation({ sandbox, info, of, params, text }) {
  const ledger = useCall("v1/ledger");
  const known = new Map((ledger.data?.entries || []).map((e) => [e.id, e]));
  const part = parts[params.part] ? params.part : "about";
  const to = (part) => href("contract", sandbox, { op: of.name, text: params.text, part: part === "about" ? "" : part });
  return html`<${Card} id="contract-op-title" title=${of.name} actions=${html`<button type="button" id="contract-op" class="small" onClick=${() => change({ op: "", part: "", example: "" })}>Close</button>`}>
    <p>${of.about} ${of.changes ? html`<${Tag} kind="warn">changes the bank<//>` : html`<${Tag}>only reads<//>`}</p>
    <p><code>${of.method} ${of.path}</code></p>
    <${Tabs} label="Parts of the operation" value=${part} of=${Object.keys(parts).map((key) => [key, parts[key], to(key)])} />
    ${part === "about" && html`<${Takes} of=${of} known=${known} />`} ${part === "errors" && html`<${Errors} of=${of} known=${known} text=${text} />`}
    ${part === "ledger" && html`<${Loaded} from=${ledger}>${() => html`<${Ledger} of=${of.entries.map((id) => known.get(id)).filter(Boolean)} text=${text} />`}<//>`}
    ${part === "try" && html`<${Try} key=${params.example} sandbox=${sandbox} info=${info} of=${of} example=${params.example} />`}
  <//>`;
}

function Takes({ of, known }) {
  return html`
    <h3>Parameters</h3>
    <${Table} caption="Parameters" columns=${["Name", "In", "About", "Example"]}>
      ${of.parameters.map((p) => html`<tr><td><code>${p.name}</code>${p.required && html` <${Tag}>required<//>`}</td><td>${p.in}</td><td>${p.about} ${p.limits && html`<span class="quiet">${p.limits}</span>`}</td><td><code>${p.example}</code></td></tr>`)}
    <//>
    ${of.members?.length > 0 && html`<h3>Members of the body <small class="quiet">${of.bodyMedia}</small></h3>
      <${Table} caption="Members of the body" columns=${["Name", "Type", "About"]}>
        ${of.members.map((m) => html`<tr><td><code>${m.name}</code>${m.required && html` <${Tag}>required<//>`}${m.secret && html` <${Tag} kind="warn">secret<//>`}</td><td>${m.type}</td><td>${m.about} ${m.limits && html`<span class="quiet">${m.limits}</span>`}</td></tr>`)}
      <//>`}
    <h3>Answers</h3>
    ${of.answers.map((a) => html`<div><p><${Status} of=${a.status} /> ${a.about} ${a.switch && html`<span class="quiet">with <code>${a.switch}: ${a.value}</code></span>`}</p><${Entries} of=${a.entries} known=${known} /></div>`)}
  `;
}

function Errors({ of, known, text }) {
  const found = of.errors.filter((e) => text && `${e.status} ${e.code} ${e.message} ${e.rule}`.toLowerCase().includes(text));
  const shown = found.length > 0 ? found : of.errors;
  return html`
    <p class="hint">${found.length > 0 ? `${found.length} of ${plural(of.errors.length, "error")} match the filter. ` : ""}An error with a rule is the bank’s own; the others come from faults only.</p>
    ${shown.map((e) => html`<div class="contract-error">
      <p><${Status} of=${e.status} /> <code>${e.code}</code> ${e.message} ${e.rule ? html`<${Tag} kind="accent" title="the rule that refuses">${e.rule}<//>` : html`<${Tag}>faults only<//>`}</p>
      <${Entries} of=${e.entries} known=${known} />
    </div>`)}
  `;
}

// Entries are entries of the ledger, folded.
function Entries({ of, known }) {
  const entries = of.map((id) => known.get(id)).filter(Boolean);
  if (entries.length === 0) return null;
  return html`<details><summary>Rests on ${plural(entries.length, "entry", "entries")}: ${[...new Set(entries.map((e) => e.basis))].join(", ")}</summary><${Ledger} of=${entries} /></details>`;
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
          ${e.switch.alternatives.map((a) => html`<li><code>${e.switch.key}: ${String(a.value)}</code> ${a.answer} <${Basis} of=${a.basis} /></li>`)}
        </ul>`}
      </dd>
    </div>`)}
  </dl>`;
}

// Control lists the calls of the control API.
function Control({ sandbox, text }) {
  const from = useCall("v1/control-openapi.json");
  const lower = text.toLowerCase();
  return html`<${Card} title="Calls of the control API" actions=${html`<${OpenAPI} from="v1/control-openapi.json" name="control-openapi.json">OpenAPI of the control API<//>`}>
    <p>Whatever the console shows or changes, it does with these calls.${hasToken() && html` They need the control token: put it into the variable <code>BANKSIM_CONTROL_TOKEN</code>.`} In capitals is what you choose.</p>
    <${Loaded} from=${from}>
      ${({ paths }) => {
        const calls = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, about]) => ({ path, method: method.toUpperCase(), about })));
        const shown = calls.filter((c) => `${c.method} ${c.path} ${c.about.description}`.toLowerCase().includes(lower));
        return html`
          <div class="row"><${Field} label="Filter" type="search" data-filter="yes" value=${text} onInput=${(text) => change({ text }, { replace: true })} /></div>
          <ul class="operations">
            ${shown.map((c) => html`<li key=${c.method + c.path}>
              <strong class="mono">${c.method} ${c.path}</strong> <p>${c.about.description}</p>
              ${query(c.about)}<${Code} label=${`${c.method} ${c.path}`} text=${curl(c, sandbox)} />
            </li>`)}
          </ul>
          ${shown.length === 0 && html`<p class="quiet">No call has that.</p>`}
        `;
      }}
    <//>
  <//>`;
}

// query lists the query parameters of a call.
function query(about) {
  const of = (about.parameters || []).filter((p) => p.in === "query");
  if (of.length === 0) return null;
  return html`<details><summary>Query</summary><ul>${of.map((p) => html`<li><code>${p.name}</code> ${p.description}</li>`)}</ul></details>`;
}

function curl({ path, method, about }, sandbox) {
  const to = url(path.slice(1).replace(/\{(\w+)\}/g, (_, name) => (name === "sandbox" ? encodeURIComponent(sandbox) : name.toUpperCase())));
  const parts = ["curl -s"];
  if (method !== "GET") parts.push("-X " + method);
  parts.push("'" + to + "'");
  if (hasToken()) parts.push('-H "Authorization: Bearer $BANKSIM_CONTROL_TOKEN"');
  const media = Object.keys(about.requestBody?.content || {});
  if (media.length > 0) parts.push(/json/.test(media[0]) ? `-H 'Content-Type: ${media[0]}' -d '{}'` : `-H 'Content-Type: ${media[0]}' --data-binary @FILE`);
  return parts.join(" ");
}
