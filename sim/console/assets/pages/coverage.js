// The page Coverage: which answers each operation gave, and how to bring about the others.

import { html } from "../vendor/preact.js";
import { path } from "../api.js";
import { useCall } from "../hooks.js";
import { change, href } from "../route.js";
import { Card, Check, Loaded, Tabs } from "../ui.js";
import { ruleParams } from "./fault-rule.js";

const ways = ["never met", "met only by a fault", "met"];
const wayOf = (p) => (p.byBank ? 2 : p.injected ? 1 : 0);
// labelOf names an answer among those with the same status.
const labelOf = (p) => [p.phase && p.phase + " the change", p.code, p.rule].filter(Boolean).join(" ")
  || p.connection || p.kind;
const nameOf = (p) => [p.status || (p.phase && p.connection), labelOf(p)].filter(Boolean).join(" ");

export function Coverage({ sandbox, params: { all, transport, point } }) {
  const from = useCall(path(["coverage"], all ? {} : { sandbox }), { every: 5000 });
  const shown = (p) => (p.possible || wayOf(p)) && (!p.connection || transport);
  const tab = (key, title, all) => [key, title, href("coverage", sandbox, { transport, all })];
  const turn = (on) => change({ transport: on ? "1" : "", point: "" }, { replace: true });
  const faults = html`<${Check} label="Transport faults" checked=${transport} onChange=${turn} />`;
  const called = ({ runs: [{ points }] }) => html`<${Called} sandbox=${sandbox} chosen=${point} points=${points}
    shown=${shown} />`;
  return html`<${Tabs} label="Whose answers" value=${all ? "all" : "one"}
      of=${[tab("one", "This sandbox", ""), tab("all", "All sandboxes", "1")]} />
    <${Card} title="Operations that were called" actions=${faults}>
      <p class="legend">${ways.map((way, i) => html`<span><i class=${"sign w" + i}></i> ${way}</span>`)}</p>
      <${Loaded} from=${from}>${called}<//>
    <//>`;
}

function Called({ sandbox, chosen, points, shown }) {
  const operations = Object.entries(Object.groupBy(points, (p) => p.operation));
  const others = operations.filter(([, all]) => !all.some(wayOf)).map(([name]) => html`<a
    href=${href("contract", sandbox, { op: name, part: "try" })}>${name}</a>`);
  const none = html`<p class="quiet">None yet.</p>`;
  const row = ([name, all]) => html`<${Operation} key=${name} sandbox=${sandbox} name=${name}
    points=${all.filter(shown)}
    chosen=${chosen} />`;
  const never = others.length > 0 && html`<h3>Never called</h3><p class="legend">${others}</p>`;
  return html`${others.length === operations.length && none}
    <ul class="covered">${operations.filter(([, all]) => all.some(wayOf)).map(row)}</ul>
    ${never}`;
}

// Operation has a button for each answer of an operation, by status. A click shows what makes the answer happen.
function Operation({ sandbox, name, points, chosen }) {
  const keyOf = (p) => `${name} ${p.dialect} ${nameOf(p)}`;
  const point = points.find((p) => keyOf(p) === chosen);
  const choose = (p) => change({ point: p === point ? "" : keyOf(p) }, { replace: true });
  const button = (p) => html`<button type="button" aria-expanded=${p === point} onClick=${() => choose(p)}
    aria-label=${`${name} ${nameOf(p)}: ${ways[wayOf(p)]}`}><i class=${"sign w" + wayOf(p)}></i>${labelOf(p)}</button>`;
  const byStatus = Object.entries(Object.groupBy(points, (p) => p.status || p.connection));
  const group = ([status, all]) => html`<dt class="mono">${status}</dt><dd>${all.map(button)}</dd>`;
  const about = point && html`<p class="point">${nameOf(point)}: ${ways[wayOf(point)]} ${point.byBank + point.injected
    || ""}
    <${MakeIt} sandbox=${sandbox} point=${point} /></p>`;
  return html`<li><strong>${name}</strong> <span class="quiet">${points.filter(wayOf).length} of ${points.length}</span>
    <dl class="signs">${byStatus.map(group)}</dl>
    ${about}</li>`;
}

// MakeIt leads to the fault that brings an answer about. For an answer to an accepted request, it leads to a request.
function MakeIt({ sandbox, point: { operation, kind, status, code, connection, phase } }) {
  if (kind === "accepted") return html`<a class="button" href=${href("contract", sandbox, { op: operation,
    part: "try" })}>Try the operation</a>`;
  const rule = { operation, when: { first: 1 }, phase, then: connection ? { connection } : { status,
    error: { code } } };
  return html`<a class="button" href=${href("faults", sandbox, ruleParams(rule))}>Make it happen</a>`;
}
