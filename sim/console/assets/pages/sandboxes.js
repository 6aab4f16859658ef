// The page Sandboxes: all of them with their forks, the chosen one, and a new one.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { path } from "../api.js";
import { useCall } from "../hooks.js";
import { useKeys } from "../keys.js";
import { change, go, href } from "../route.js";
import { Button, Card, Field, Loaded, Table, Tag, When, plural } from "../ui.js";
import { Create } from "./sandboxes-new.js";
import { Chosen } from "./sandboxes-one.js";

const step = 200; // sandboxes shown at a time

export function Sandboxes({ sandbox, params, info, gone, simulator, reload }) {
  const text = params.text || "";
  const [limit, setLimit] = useState(step);
  const list = useCall(path(["sandboxes"], { text, limit }));
  // Where there are very many, as beside a test run, the list isn't loaded again for each that comes or goes.
  const row = list.data?.sandboxes.find((sb) => sb.name === sandbox);
  const stale = list.data && ((simulator && !text && simulator.sandboxes !== list.data.total) || (row && info && row.lastReset?.at !== info.lastReset?.at));
  const many = list.data?.total > step;
  useEffect(() => {
    if (stale && !many) list.reload();
  }, [stale, many, simulator?.sandboxes]);
  const changed = () => {
    list.reload();
    reload();
  };
  return html`<div class="split wide-list">
    <div>
      <${Card} title="All sandboxes" actions=${params.new ? null : html`<${Button} onClick=${() => change({ new: "1" })}>New sandbox<//>`}>
        ${params.new && html`<${Create} onDone=${(name) => {
          changed();
          go("sandboxes", name, { text });
        }} onClose=${() => change({ new: "" })} />`}
        <${Field} label="Filter by name or scenario" value=${text} onInput=${(to) => change({ text: to }, { replace: true })} type="search" data-filter />
        <${Loaded} from=${list}>
          ${(data) => html`<p class="hint" role="status">
              ${data.sandboxes.length < data.total ? `The first ${data.sandboxes.length} of ${plural(data.total, "sandbox", "sandboxes")}.` : plural(data.total, "sandbox", "sandboxes") + "."}${" "}
              ${stale && many && html`There are ${simulator.sandboxes.toLocaleString("en")} now. <button type="button" class="link" onClick=${list.reload}>Load again</button>`}
            </p>
            <${List} of=${data.sandboxes} sandbox=${sandbox} params=${params} />
            ${data.sandboxes.length < data.total && html`<${Button} onClick=${() => setLimit(limit + step)}>Show ${Math.min(step, data.total - data.sandboxes.length)} more<//>`}`}
        <//>
      <//>
    </div>
    <aside aria-label=${"Sandbox " + sandbox}>
      ${!gone && (info || row)
        ? html`<${Chosen} key=${sandbox} sandbox=${sandbox} info=${info || row} onChange=${changed} onGone=${list.reload} />`
        : html`<${Card} title=${"Sandbox " + sandbox}><p class="quiet">${gone ? "There is no such sandbox. It may have been deleted: choose another one." : "Loading…"}</p><//>`}
    </aside>
  </div>`;
}

// List shows sandboxes as a tree: forks below what they were forked from.
function List({ of, sandbox, params }) {
  const rows = tree(of);
  const body = useRef(null);
  const move = (by) => {
    const links = [...body.current.querySelectorAll("a[data-row]")];
    const at = links.indexOf(document.activeElement);
    const from = at < 0 ? links.findIndex((link) => link.getAttribute("aria-current")) - (by < 0 ? 0 : 1) : at;
    links[Math.max(0, Math.min(links.length - 1, from + by))]?.focus();
    return links.length > 0;
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  return html`<div ref=${body} class="sandboxes">
    <${Table}
      caption="Sandboxes, forks below what they were forked from"
      empty=${params.text ? "No name and no scenario has this text." : "None."}
      columns=${["Name", "Scenario", { title: "Seed", number: true }, "Created", "Expires", "Last reset"]}
    >
      ${rows.map(
        ({ sb, depth, gone }) => html`<tr key=${sb.name} class=${sb.name === sandbox ? "chosen" : ""}>
          <td class="tree" style=${{ paddingLeft: `${Math.min(depth, 6) * 1.1}rem` }}>
            ${depth > 0 && html`<span aria-hidden="true" class="quiet">└ </span>`}<a data-row href=${href("sandboxes", sb.name, { text: params.text })} aria-current=${sb.name === sandbox ? "true" : undefined}>${sb.name}</a>
            ${sb.forkedFrom && (depth === 0 || sb.forkedFrom.before || sb.forkedFrom.after) && html`<div class="hint">${forkedFrom(sb.forkedFrom, depth > 0)}${gone && ", which is not listed"}</div>`}
          </td>
          <td>${sb.scenario}</td>
          <td class="number">${seed(sb.seed)}</td>
          <td><${When} at=${sb.createdAt} /></td>
          <td>${sb.expiresAt ? html`<${When} at=${sb.expiresAt} />` : html`<span class="quiet">never</span>`}</td>
          <td>${sb.lastReset ? html`<${When} at=${sb.lastReset.at} /> by ${sb.lastReset.by === "watch" ? html`<${Tag} title="the scenario's files changed">watch<//>` : sb.lastReset.by}` : html`<span class="quiet">never</span>`}</td>
        </tr>`,
      )}
    <//>
  </div>`;
}

// seed returns a seed. Those that JavaScript can't hold are rounded.
export function seed(n) {
  return Number.isSafeInteger(n) ? n : `about ${n}`;
}

// forkedFrom says what a sandbox was forked from; where the tree shows the sandbox, only what it doesn't show.
export function forkedFrom({ sandbox, before, after }, shown) {
  const when = before ? `before exchange ${before}` : after ? `after exchange ${after}` : "";
  if (shown) return when;
  return `fork of ${sandbox}${when && " " + when}`;
}

// tree returns rows in the order of a tree. A sandbox that was created after its fork only has the name of the one that
// the fork came from.
function tree(sandboxes) {
  const named = new Map(sandboxes.map((sb) => [sb.name, sb]));
  const below = new Map();
  const roots = [];
  for (const sb of sandboxes) {
    const parent = named.get(sb.forkedFrom?.sandbox);
    if (parent && Date.parse(parent.createdAt) <= Date.parse(sb.createdAt) && parent !== sb) {
      if (!below.has(parent.name)) below.set(parent.name, []);
      below.get(parent.name).push(sb);
    } else roots.push(sb);
  }
  const rows = [];
  const waiting = roots.reverse().map((sb) => ({ sb, depth: 0, gone: Boolean(sb.forkedFrom) }));
  while (waiting.length > 0) {
    const row = waiting.pop();
    rows.push(row);
    for (const sb of (below.get(row.sb.name) || []).reverse()) waiting.push({ sb, depth: row.depth + 1 });
  }
  return rows;
}
