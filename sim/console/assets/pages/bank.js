// The page Bank: what the simulated bank of a sandbox holds.

import { html, useState } from "../vendor/preact.js";
import { at, call, save } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { change, go, href } from "../route.js";
import { Button, Card, Check, Code, Copy, Field, Form, Loaded, Options, Problem, Row, Table, Tabs, day,
  plural } from "../ui.js";
import { Alerts, Mint, Tokens, User } from "./bank-user.js";
import { RowChange } from "./changes.js";

// maxRows is how many rows of a kind are shown at most.
const maxRows = 200;

const views = { users: "Users", tokens: "Tokens", groups: "Groups", alerts: "Alert preferences",
  changes: "What changed",
  save: "Save as scenario" };

// fromRow returns the parameters that show a row, such as accounts/02688/1001/acc-1.
function fromRow(row = "") {
  const [table, institution, first, ...rest] = row.split("/");
  const name = [first, ...rest].join("/");
  const shows = {
    accounts: { user: first },
    alertPreferences: first ? { user: first } : { view: "alerts" },
    users: { user: name },
    groups: { view: "groups", text: name },
    grants: { view: "tokens" },
    clients: { view: "tokens" },
  };
  return institution ? { institution, ...shows[table] } : {};
}

export function Bank({ sandbox, params }) {
  const { token } = params; // the fingerprint of one, in any institution
  const holders = useCall(token ? at(sandbox, ["state"], { text: token, limit: 1 }) : null);
  const row = token ? holders.data?.institutions.flatMap((i) => i.tokens || [])[0]?.row : params.row;
  const shown = { ...fromRow(row), ...(token && { view: "tokens", text: token }), ...params };
  const view = views[shown.view] ? shown.view : "users";
  const all = useCall(at(sandbox, ["state"], { limit: 0 }), { every: 10000 });
  const institutions = all.data?.institutions || [];
  const institution = shown.institution ? institutions.find((i) => i.institutionId === shown.institution)
    : institutions.find((i) => i.counts.users > 0) || institutions[0];
  const id = institution?.institutionId;
  const tabs = Object.keys(views).map((key) => [key, views[key], href("bank", sandbox,
    { institution: shown.institution && id, view: key })]);
  const absent = shown.institution ? `This bank has no institution “${shown.institution}”.`
    : "This bank has no institutions.";
  const none = html`<p class="note">${absent} <a href=${href("scenario", sandbox)}>See the scenario</a>.</p>`;
  const list = (List) => (institution ? html`<${List} key=${id} sandbox=${sandbox} id=${id} view=${view} row=${row}
    text=${shown.text || ""} chosen=${shown.user} changed=${all.reload} />` : none);
  const parts = {
    users: () => list(Users),
    changes: () => html`<${Since} sandbox=${sandbox} since=${shown.since || "start"} />`,
    save: () => html`<${Save} sandbox=${sandbox} />`,
  };
  const unknown = html`<p class="note">No token of this bank has the fingerprint ${token}. It belongs to another
    secret, or to a token that is gone.</p>`;
  const page = () => html`
    <${Institutions} sandbox=${sandbox} all=${institutions} institution=${institution}
      row=${row} reload=${all.reload} />
    <${Tabs} label="Parts of the bank" value=${view} of=${tabs} />
    ${holders.data && !row && unknown}
    ${parts[view]?.() || list(Rows)}`;
  return html`<${Loaded} from=${all}>${page}<//>`;
}

// Institutions chooses an institution, and turns its multistatement on and off.
function Institutions({ sandbox, all, institution, row, reload }) {
  const id = institution?.institutionId || "";
  const set = useAction(async (multistatement) => {
    await call(at(sandbox, ["institutions", id]), { method: "PATCH", body: { multistatement } });
    reload();
    return `Multistatement is ${multistatement ? "on" : "off"} for institution ${id}.`;
  });
  const ids = [...new Set([id, ...all.slice(0, 500).map((i) => i.institutionId)].filter(Boolean))].sort();
  const marked = row === "institutions/" + id;
  const choose = (event) => change({ institution: event.target.value, user: "", row: "", text: "", token: "" });
  const { counts, multistatement, alertTypes } = institution || {};
  const about = institution && html`<span class=${marked ? "marked" : ""}
      aria-current=${marked ? "true" : undefined}><${Check} label="Multistatement"
      checked=${multistatement} disabled=${set.busy} onChange=${set.run}
      hint="statement preferences can be updated" /></span>
    <span class="quiet">${[plural(counts.users, "user"), plural(counts.tokens, "token"), plural(counts.groups,
      "group")].join(", ")}</span>
    <span class="quiet">${alertTypes.length > 0 && "alert types: " + alertTypes.join(", ")}</span>`;
  const others = all.length > ids.length && html`<span class="quiet">${ids.length} of ${all.length}
    institutions are listed. The URL takes others, as institution=</span>`;
  return html`<div class="row bank-institution">
      <label>Institution <select onChange=${choose}><${Options} of=${ids} value=${id} /></select></label>
      ${about} ${others}
    </div>
    <${Problem} error=${set.error} />`;
}

// Filter looks through all rows of a kind, and says if not all of them are shown.
function Filter({ text, shown, total, what }) {
  const filter = (text) => change({ text, row: "", token: "" }, { replace: true });
  const some = html`<p class="quiet">${shown} of ${plural(total, what)} are shown. The filter looks through all of
    them.</p>`;
  return html`<${Field} label="Filter" type="search" value=${text} placeholder="part of an id or a name"
    onInput=${filter} />
    ${shown < total && some}`;
}

// Users shows the users that the scenario writes before those that it generates: the server has them in this order.
function Users({ sandbox, id, text, row, chosen = "", changed }) {
  const list = useCall(at(sandbox, ["users"], { institution: id, text }), { every: 5000, keep: id });
  const reload = () => {
    list.reload();
    changed();
  };
  const close = () => change({ user: "", row: "" });
  const user = (u) => html`<${Row} key=${u.hostUserId} marked=${u.hostUserId === chosen} scroll="">
    <td><a href=${href("bank", sandbox, { institution: id, text, user: u.hostUserId })}>${u.hostUserId}</a>
      <span class="quiet"> ${u.username}</span></td>
    <td>${u.summary}</td>
    <td class="number">${u.accounts}</td>
  <//>`;
  const table = ({ users, total }) => html`<${Filter} text=${text} shown=${users.length} total=${total} what="user" />
    <${Table} caption="Users of the institution" columns=${["User", "Good for", { title: "Accounts", number: true }]}
      empty="No user matches. A scenario gives a bank its users.">${users.map(user)}<//>`;
  const details = chosen && html`<aside><${User} key=${chosen} sandbox=${sandbox} institution=${id} user=${chosen}
    row=${row}
    changed=${reload} onClose=${close} /></aside>`;
  return html`<div class=${chosen ? "split users" : ""}>
    <${Card} title="Users"><${Loaded} from=${list}>${table}<//><//>
    ${details}
  </div>`;
}

// Rows shows the tokens, groups or alert preferences of an institution.
function Rows({ sandbox, id, view, text, row, changed }) {
  const list = useCall(at(sandbox, ["state"], { institution: id, text, limit: maxRows }), { every: 5000, keep: id });
  const reload = () => {
    list.reload();
    changed();
  };
  const filter = (part, kind) => html`<${Filter} text=${text} shown=${part[kind].length} total=${part.counts[kind]}
    what=${kind.slice(0, -1)} />`;
  const alertsOf = (part) => [...part.alertPreferences.map((a) => ["", a]),
    ...part.users.flatMap((u) => u.alertPreferences.map((a) => [u.hostUserId, a]))];
  const kinds = {
    tokens: (part) => html`<${Mint} sandbox=${sandbox} institution=${id} clients=${part.clients} onDone=${reload} />
      <${Card} title="Tokens">${filter(part, view)}<${Tokens} sandbox=${sandbox}
        tokens=${part.tokens} row=${row} /><//>`,
    groups: (part) => html`<${Card} title="Groups">${filter(part, view)}<${Groups} groups=${part.groups} id=${id}
      row=${row} /><//>`,
    alerts: (part) => html`<${Card} title="Alert preferences">
      <p class="hint">Those of the users that match, and those of no user.</p>
      ${filter(part, "users")}<${Alerts} institution=${id} row=${row} alerts=${alertsOf(part)} user />
    <//>`,
  };
  return html`<${Loaded} from=${list}>${(data) => kinds[view](data.institutions[0])}<//>`;
}

function Groups({ groups, id, row }) {
  const group = (g) => html`<${Row} key=${g.groupId} marked=${row === `groups/${id}/${g.groupId}`}>
    <td>${g.groupName}<br /><code class="quiet">${g.groupId}</code></td>
    <td>${g.groupDescription}</td>
    <td class="number">${g.groupParticipantCount}</td>
    <td>${g.groupStatus}</td>
    <td>${day(g.groupLastUpdatedDateTime)}</td>
  <//>`;
  const columns = ["Group", "Description", { title: "Participants", number: true }, "Status", "Last updated"];
  return html`<${Table} caption="Groups of the institution" columns=${columns}
    empty="No group matches. An app creates groups, or the scenario has them.">${groups.map(group)}<//>`;
}

// Since shows what changed since the start or a snapshot.
function Since({ sandbox, since }) {
  const snapshots = useCall(at(sandbox, ["snapshots"]));
  const diff = useCall(at(sandbox, ["diff"], { since, limit: maxRows }), { every: 15000 });
  const names = [...new Set(["start", ...(snapshots.data?.snapshots || []).map((s) => s.name), since])];
  const row = (c) => html`<${RowChange} key=${c.row} sandbox=${sandbox} of=${c} />`;
  const changed = ({ changes, total }) => {
    const then = since === "start" ? "the start" : "snapshot " + since;
    const what = total === 0 ? `Nothing: the bank is as it was at ${then}.`
      : `${plural(total, "row")} differ${total === 1 ? "s" : ""}.`;
    const some = changes.length < total && ` ${changes.length} of them are shown; GET …/diff has all.`;
    const title = changes.length > 0 && html`<h3>Rows that differ</h3>`;
    return html`<p role="status">${what}${some}</p>${title}${changes.map(row)}`;
  };
  const again = html`<${Button} onClick=${diff.reload}>Look again<//>`;
  return html`<${Card} title="What changed" actions=${again}>
    <${Field} as="select" label="Since" value=${since} onInput=${(since) => change({ since })}
      hint="The page Sandboxes takes snapshots."><${Options} of=${names} value=${since} /><//>
    <${Loaded} from=${diff}>${changed}<//>
  <//>`;
}

// shownLines is how many lines of a long scenario are shown. Copies have all of them.
const shownLines = 400;

// Save writes the bank as a scenario.
function Save({ sandbox }) {
  const [yaml, setYAML] = useState("");
  const [name, setName] = useState("");
  const load = useAction(async () => {
    setYAML(await call(at(sandbox, ["state"], { format: "scenario" })));
    return "The scenario was written.";
  });
  const start = useAction(async () => {
    const made = await call("v1/sandboxes", { body: { scenarioYaml: yaml, name: name || undefined } });
    go("bank", made.name);
    return `Sandbox ${made.name} was created.`;
  });
  const lines = yaml.split("\n");
  const write = html`<${Button} kind=${yaml ? "" : "main"} busy=${load.busy}
    onClick=${load.run}>${yaml ? "Write it again" : "Write the scenario"}<//>`;
  const some = html`<p class="quiet">The first ${shownLines} of ${plural(lines.length, "line")} are shown. Copy and
    download have all.</p>`;
  const written = html`<${Form} class="row" onSubmit=${start.run}>
      <${Field} label="Name of the new sandbox (empty: any)" value=${name} onInput=${setName} />
      <${Button} kind="main" type="submit" busy=${start.busy}>Start it as a new sandbox<//>
      <${Button} onClick=${() => save(sandbox + ".yaml", yaml, "application/yaml")}>Download<//>
      <${Copy} text=${yaml} what="the scenario" />
    <//>
    ${lines.length > shownLines && some}
    <${Code} plain label="the scenario" text=${lines.slice(0, shownLines).join("\n")} />`;
  return html`<${Card} title="Save as scenario" actions=${write}>
    <p>The bank as a scenario: a sandbox that starts from it has an equal bank. It has the secrets that its own
      scenario gave. Comments name the tokens that were issued since.</p>
    <${Problem} error=${load.error || start.error} />
    ${yaml && written}
  <//>`;
}
