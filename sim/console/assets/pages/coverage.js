// The page Coverage: which answers each operation gave, and which it never did.

import { html } from "../vendor/preact.js";
import { path } from "../api.js";
import { useCall } from "../hooks.js";
import { href } from "../route.js";
import { Card, Loaded, Table, Tabs } from "../ui.js";

const ways = ["never met", "met only by a fault", "met"];
const wayOf = (p) => (p.byBank ? 2 : p.injected ? 1 : 0);
const nameOf = (p) => [p.status || p.connection, p.phase && p.phase + " the change", p.code, p.rule].filter(Boolean).join(" ");

// A sign says by its form and colour how an answer was met.
const sign = (way, title) => html`<i class=${"sign w" + way} title=${title}></i>`;

export function Coverage({ sandbox, params }) {
  const from = useCall(path(["coverage"], params.all ? {} : { sandbox }), { every: 5000 });
  return html`<${Tabs} label="Whose answers" value=${params.all ? "all" : "one"}
    of=${[["one", "This sandbox", href("coverage", sandbox)], ["all", "All sandboxes", href("coverage", sandbox, { all: 1 })]]} />
    <${Card} title="Operations that were called">
      <p class="legend">${ways.map((way, i) => html`<span>${sign(i)} ${way}</span>`)}</p>
      <${Loaded} from=${from}>${({ runs }) => html`<${Called} points=${runs[0].points.filter((p) => p.possible || wayOf(p))} />`}<//>
    <//>`;
}

function Called({ points }) {
  const operations = Object.entries(Object.groupBy(points, (p) => p.operation));
  const called = operations.filter(([, all]) => all.some(wayOf));
  if (!called.length) return html`<p class="quiet">None yet.</p>`;
  return html`<${Table} caption="Answers by operation" columns=${["Operation", "Met", "Answers and lost answers"]}>
      ${called.map(([name, all]) => html`<tr key=${name}>
        <td>${name}</td>
        <td class="nowrap">${all.filter(wayOf).length} of ${all.length}</td>
        <td><details><summary>${all.map((p) => sign(wayOf(p), nameOf(p)))}<span class="unseen">Each answer of ${name}</span></summary>
          <ul>${all.map((p) => html`<li>${sign(wayOf(p))} ${nameOf(p)}: ${ways[wayOf(p)]} <span
            class="quiet">${p.byBank + p.injected || ""}</span></li>`)}</ul></details></td>
      </tr>`)}
    <//>
    <p class="hint">Never called: ${operations.filter(([, all]) => !all.some(wayOf)).map(([name]) => name).join(", ") || "none"}</p>`;
}
