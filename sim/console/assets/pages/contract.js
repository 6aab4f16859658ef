// The page Contract: what the simulated interface takes and answers, and why.

import { html } from "../vendor/preact.js";
import { useCall } from "../hooks.js";
import { change, href } from "../route.js";
import { Basis, Card, Download, Field, Loaded, Status, Table, Tabs, Tag, plural, pretty } from "../ui.js";
import { Send } from "./send.js";

const parts = { about: "Takes and answers", errors: "Errors", ledger: "Ledger", try: "Try it" };

export function Contract({ sandbox, params }) {
  const list = useCall("v1/operations");
  const text = (params.text || "").toLowerCase();
  const has = (value) => JSON.stringify(value).toLowerCase().includes(text);
  const all = list.data?.operations || [];
  const shown = all.filter((o) => !text || has({ ...o, example: 0 }));
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
      ${op && html`<aside><${Operation} key=${op.name} sandbox=${sandbox} of=${op} ledger=${list.data.ledger}
        params=${params} text=${text} /></aside>`}
    </div>`}
  <//>`;
}

function Operation({ sandbox, of, ledger, params, text }) {
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
    ${part === "try" && html`<${Send} key=${of.name} sandbox=${sandbox} request=${example(of)} />`}
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

// example returns the example of an operation as a request.
function example({ example }) {
  return { ...example, body: pretty(example.body) };
}
