// The page Coverage: which answers each operation gave, and how to bring about the others.

import { html } from "../vendor/preact.js";
import { path } from "../api.js";
import { useCall } from "../hooks.js";
import { change, href } from "../route.js";
import { Card, Check, Loaded, Tabs } from "../ui.js";

const ways = ["never met", "met only by a fault", "met"];
const wayOf = (p) => (p.byBank ? 2 : p.injected ? 1 : 0);
const nameOf = (p) => [p.status || p.connection, p.phase && p.phase + " the change", p.code, p.rule].filter(Boolean).join(" ");

// Every operation has the same damaged answers: they would be noise.
const damaged = /^(dribble|garbage|malformed)$/;

export function Coverage({ sandbox, params }) {
  const from = useCall(path(["coverage"], params.all ? {} : { sandbox }), { every: 5000 });
  const shown = (p) => (p.possible || wayOf(p)) && (!p.connection || (params.transport && !damaged.test(p.connection)));
  return html`<${Tabs} label="Whose answers" value=${params.all ? "all" : "one"} of=${[["one", "This sandbox", href("coverage", sandbox,
      { transport: params.transport })], ["all", "All sandboxes", href("coverage", sandbox, { transport: params.transport, all: 1 })]]} />
    <${Card} title="Operations that were called" actions=${html`<${Check} label="Transport faults" checked=${params.transport}
      onChange=${(on) => change({ transport: on ? "1" : "", point: "" }, { replace: true })} />`}>
      <p class="legend">${ways.map((way, i) => html`<span><i class=${"sign w" + i}></i> ${way}</span>`)}</p>
      <${Loaded} from=${from}>${({ runs }) => html`<${Called} sandbox=${sandbox} chosen=${params.point} points=${runs[0].points} shown=${shown} />`}<//>
    <//>`;
}

function Called({ sandbox, chosen, points, shown }) {
  const operations = Object.entries(Object.groupBy(points, (p) => p.operation));
  const called = operations.filter(([, all]) => all.some(wayOf));
  const others = operations.filter(([, all]) => !all.some(wayOf));
  return html`${called.length === 0 && html`<p class="quiet">None yet.</p>`}
    <ul class="covered">${called.map(([name, all]) => {
      const here = all.filter(shown);
      const keyOf = (p) => `${name} ${p.dialect} ${nameOf(p)}`;
      const point = here.find((p) => keyOf(p) === chosen);
      return html`<li key=${name}><strong>${name}</strong> <span class="quiet">${here.filter(wayOf).length} of ${here.length}</span>
        <div class="signs">${here.map((p) => html`<button type="button" class=${"sign w" + wayOf(p)} title=${nameOf(p)}
          aria-expanded=${p === point} aria-label=${`${name} ${nameOf(p)}: ${ways[wayOf(p)]}`}
          onClick=${() => change({ point: p === point ? "" : keyOf(p) }, { replace: true })}></button>`)}</div>
        ${point && html`<p class="point">${nameOf(point)}: ${ways[wayOf(point)]} ${point.byBank + point.injected || ""}
          <${MakeIt} sandbox=${sandbox} of=${point} /></p>`}</li>`;
    })}</ul>
    ${others.length > 0 && html`<h3>Never called</h3><p class="legend">${others.map(([name]) => html`<a
      href=${href("contract", sandbox, { op: name, part: "try" })}>${name}</a> `)}</p>`}`;
}

// MakeIt leads to what brings an answer about: a fault, or a request that the bank itself answers so.
function MakeIt({ sandbox, of: { operation, kind, status, code, rule, connection, phase } }) {
  const send = href("contract", sandbox, { op: operation, part: "try" });
  const fault = href("faults", sandbox, { operation, first: 1, ...(connection ? { connection, phase } : { status, code }) });
  return kind === "accepted" ? html`<a class="button" href=${send}>Make it happen</a>`
    : html`<a class="button" href=${fault}>Make it happen</a> ${rule && html`<a href=${send}>or by a request</a>`}`;
}
