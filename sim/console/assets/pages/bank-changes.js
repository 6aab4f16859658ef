// What changed in the bank since its start or a snapshot.

import { html } from "../vendor/preact.js";
import { at } from "../api.js";
import { useCall } from "../hooks.js";
import { change, href } from "../route.js";
import { Button, Card, Field, Loaded, Options, Tag, plural } from "../ui.js";

const listed = 200;

export function Changes({ sandbox, params }) {
  const snapshots = useCall(at(sandbox, ["snapshots"]));
  const since = params.since || "start";
  const diff = useCall(at(sandbox, ["diff"], { since, limit: listed }), { every: 5000 });
  const names = ["start", ...(snapshots.data?.snapshots || []).map((s) => s.name)];
  if (!names.includes(since)) names.push(since);
  return html`<${Card} title="What changed" actions=${html`<${Button} onClick=${diff.reload}>Look again<//>`}>
    <div class="row"><${Field} as="select" label="Since" value=${since} onInput=${(since) => change({ since })}><${Options} of=${names} value=${since} /><//></div>
    <p class="hint">Snapshots are taken on the page <a href=${href("sandboxes", sandbox)}>Sandboxes</a>.</p>
    <${Loaded} from=${diff}>
      ${({ changes, leftOut }) => html`
        <p role="status">${changes.length === 0 ? `Nothing: the bank is as it was at ${since === "start" ? "the start" : "snapshot " + since}.` : `${plural(changes.length + (leftOut || 0), "row")} differ${changes.length + (leftOut || 0) === 1 ? "s" : ""}.`}</p>
        ${leftOut > 0 && html`<p class="note">${changes.length} of them are shown. <code>GET …/diff</code> has all.</p>`}
        ${changes.map((c) => html`<${RowChange} key=${c.row} of=${c} sandbox=${sandbox} />`)}
      `}
    <//>
  <//>`;
}

// RowChange is a row before and after. Members that differ are marked.
export function RowChange({ of, sandbox }) {
  const names = [...new Set([...Object.keys(of.before || {}), ...Object.keys(of.after || {})])];
  const kind = !of.before ? "new" : !of.after ? "gone" : "changed";
  const text = (row, name) => (row && name in row ? (typeof row[name] === "string" ? row[name] : JSON.stringify(row[name])) : "");
  const label = "Row " + of.row;
  return html`<div class="bank-change">
    <h3><a href=${href("bank", sandbox, { row: of.row })}>${of.row}</a> <${Tag} kind=${{ new: "ok", gone: "bad", changed: "accent" }[kind]}>${kind}<//></h3>
    <div class="scroll" tabindex="0" role="region" aria-label=${label}>
      <table>
        <caption class="unseen">${label}</caption>
        <thead><tr><th scope="col">Member</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
        <tbody>
          ${names.map((name) => {
            const before = text(of.before, name);
            const after = text(of.after, name);
            const differs = kind === "changed" && before !== after;
            return html`<tr class=${differs ? "differs" : ""}><th scope="row">${differs ? html`<span aria-label="differs">≠</span> ` : ""}${name}</th><td>${before}</td><td>${after}</td></tr>`;
          })}
        </tbody>
      </table>
    </div>
  </div>`;
}
