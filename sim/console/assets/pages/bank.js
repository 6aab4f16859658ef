// The page Bank: what the simulated bank of a sandbox holds.

import { html, useState } from "../vendor/preact.js";
import { at, call, save } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { change, go, href } from "../route.js";
import { Button, Card, Check, Code, Copy, Field, Loaded, Options, Problem, Row, Table, Tabs, Tag, day, plural, useLast } from "../ui.js";
import { Alerts, Mint, Tokens, User } from "./bank-user.js";
import { RowChange } from "./changes.js";

// listed is how many rows of a kind are asked for and shown at most.
const listed = 200;

const views = { users: "Users", tokens: "Tokens", groups: "Groups", alerts: "Alert preferences", changes: "What changed",
  save: "Save as scenario" };

// fromRow returns what shows a row of a table, such as accounts/02688/1001/acc-1. Rows are named so in the journal and in diffs.
function fromRow(row = "") {
  const [table, institution, first, ...rest] = row.split("/");
  if (!institution) return {};
  if (table === "accounts" || (table === "alertPreferences" && first)) return { institution, user: first };
  if (table === "users") return { institution, user: [first, ...rest].join("/") };
  if (table === "groups") return { institution, view: "groups", text: [first, ...rest].join("/") };
  if (table === "grants" || table === "clients") return { institution, view: "tokens" };
  return { institution, view: table === "alertPreferences" ? "alerts" : undefined };
}

export function Bank({ sandbox, params }) {
  const { token } = params; // the fingerprint of one, which is looked for in all institutions
  const holders = useCall(token ? at(sandbox, ["state"], { text: token, limit: 1 }) : null);
  const row = token ? holders.data?.institutions.flatMap((i) => i.tokens || [])[0]?.row : params.row;
  const shown = { ...fromRow(row), ...(token && { view: "tokens", text: token }), ...params };
  const view = views[shown.view] ? shown.view : "users";
  const all = useCall(at(sandbox, ["state"], { limit: 0 }), { every: 10000 });
  return html`<${Loaded} from=${all}>
    ${({ institutions }) => {
      const institution = institutions.find((i) => i.institutionId === shown.institution) ||
        (shown.institution ? null : institutions.find((i) => i.counts.users > 0) || institutions[0]);
      const id = institution?.institutionId;
      const to = (params) => href("bank", sandbox, { institution: shown.institution && id, ...params });
      return html`
        <${Institutions} sandbox=${sandbox} all=${institutions} id=${id || ""} of=${institution} row=${row} reload=${all.reload} />
        <${Tabs} label="Parts of the bank" value=${view}
          of=${Object.keys(views).map((key) => [key, views[key], to({ view: key === "users" ? "" : key })])} />
        ${holders.data && !row && html`<p class="note">No token of this bank has the fingerprint ${token}: it is that of another secret,
          or of a token that is gone.</p>`}
        ${view === "changes" && html`<${Since} sandbox=${sandbox} since=${shown.since || "start"} />`} ${view === "save" && html`<${Save}
          sandbox=${sandbox} />`}
        ${view !== "changes" && view !== "save" && !institution && html`<p class="problem"
          role="alert">${shown.institution ? `This bank has no institution “${shown.institution}”.`
          : "This bank has no institutions. Its scenario gives it some."} <a href=${href("scenario", sandbox)}>See the scenario</a>.</p>`}
        ${view !== "changes" && view !== "save" && institution && html`<${Rows} key=${id} sandbox=${sandbox} id=${id} view=${view}
          shown=${shown} row=${row} changed=${all.reload} />`}
      `;
    }}
  <//>`;
}

// Institutions chooses one of them, and sets what it is like.
function Institutions({ sandbox, all, id, of, row, reload }) {
  const [chosen, setChosen] = useState({}); // until it is loaded again
  const set = useAction(async (multistatement) => {
    await call(at(sandbox, ["institutions", id]), { method: "PATCH", body: { multistatement } });
    setChosen({ of, multistatement });
    reload();
    return `Multistatement is ${multistatement ? "on" : "off"} for institution ${id}.`;
  });
  const ids = all.slice(0, 500).map((i) => i.institutionId);
  if (id && !ids.includes(id)) ids.unshift(id);
  const marked = row === "institutions/" + id;
  return html`<div class="row bank-institution">
      <label
        >Institution
        <select onChange=${(event) => change({ institution: event.target.value, user: "", row: "", text: "", token: "" })}>
          <${Options} of=${ids} value=${id} />
        </select></label
      >
      ${of && html`<span class=${marked ? "marked" : ""} aria-current=${marked ? "true" : undefined}><${Check} label="Multistatement"
        checked=${chosen.of === of ? chosen.multistatement : of.multistatement} disabled=${set.busy} onChange=${set.run}
        hint="statement preferences can be updated" /></span>
        <span class="quiet">${plural(of.counts.users, "user")}, ${plural(of.counts.tokens, "token")}${", "}
          ${plural(of.counts.groups, "group")}</span>
        ${of.alertTypes.length > 0 && html`<span class="quiet">alert types: ${of.alertTypes.join(", ")}</span>`}`}
      ${all.length > ids.length &&
        html`<span class="quiet">${ids.length} of ${plural(all.length, "institution")} are listed;
          others are in the URL as institution=</span>`}
    </div>
    <${Problem} error=${set.error} />`;
}

// Rows shows the rows of an institution: users, tokens, groups or alert preferences.
function Rows({ sandbox, id, view, shown, row, changed }) {
  const text = shown.text || "";
  const list = useCall(at(sandbox, ["state"], { institution: id, text, limit: listed }), { every: 5000 });
  const users = useCall(at(sandbox, ["users"], { institution: id, text }), { every: 15000 });
  const data = useLast(list.data, id);
  const reload = () => {
    list.reload();
    users.reload();
    changed();
  };
  const known = new Map((useLast(users.data, id)?.users || []).map((u) => [u.hostUserId, u]));
  const part = data?.institutions[0];
  const filter = html`<${Field} label="Filter" type="search" value=${text} placeholder="part of an id or a name"
    onInput=${(text) => change({ text, row: "", token: "" }, { replace: true })} />`;
  if (!part) return html`<${Loaded} from=${list}>${() => null}<//>`;
  const tools = { sandbox, id, part, row, filter, known, reload, error: list.error };
  if (view === "tokens") return html`<${Mint} sandbox=${sandbox} institution=${id} clients=${part.clients} onDone=${reload} /><${Card}
    title="Tokens"><div class="row">${filter}</div><${Many} n=${part.tokens.length} of=${part.counts.tokens} /><${Tokens}
    sandbox=${sandbox} of=${part.tokens} row=${row} /><//>`;
  if (view === "groups") return html`<${Groups} ...${tools} />`;
  if (view === "alerts") return html`<${Card} title="Alert preferences">
      <p class="hint">Those of the users that match, and those of no user.</p>
      <div class="row">${filter}</div>
      <${Many} n=${part.users.length} of=${part.counts.users} what="user" />
      <${Alerts} institution=${id} row=${row} of=${[...part.alertPreferences.map((a) => ["", a]),
        ...part.users.flatMap((u) => u.alertPreferences.map((a) => [u.hostUserId, a]))]} user />
    <//>`;
  return html`<${Users} ...${tools} chosen=${shown.user || ""} />`;
}

// Many says that a list isn't whole.
function Many({ n, of, what = "row" }) {
  if (n >= of) return null;
  return html`<p class="note">${n} of ${plural(of, what)} are shown. The filter looks through all of them.</p>`;
}

function Users({ sandbox, id, part, row, filter, known, reload, chosen, error }) {
  const choose = (user) => change({ user, row: "" });
  const table = html`<${Card} title="Users">
    <${Problem} error=${error} />
    <div class="row">${filter}</div>
    <${Many} n=${part.users.length} of=${part.counts.users} what="user" />
    <${Table} caption="Users of the institution" columns=${["User", "Good for", { title: "Accounts", number: true }]}
      empty="No user matches. A scenario gives a bank its users.">
      ${part.users.map((u) => {
        const about = known.get(u.hostUserId);
        const is = u.hostUserId === chosen;
        return html`<tr key=${u.hostUserId} class=${is ? "chosen" : ""} aria-current=${is ? "true" : undefined}>
          <td><a href=${href("bank", sandbox, { institution: id, text: new URLSearchParams(location.hash.split("?")[1]).get("text"),
            user: u.hostUserId })}>${u.hostUserId}</a>${u.username && html` <span class="quiet">${u.username}</span>`}</td>
          <td>${about ? about.summary : u.active ? html`<span class="quiet">–</span>` : html`<${Tag} kind="warn">not active<//>`}</td>
          <td class="number">${u.accounts.length}</td>
        </tr>`;
      })}
    <//>
  <//>`;
  if (!chosen) return table;
  return html`<div class="split users">
    ${table}
    <aside><${User} key=${chosen} sandbox=${sandbox} institution=${id} user=${chosen} row=${row} changed=${reload}
      onClose=${() => choose("")} /></aside>
  </div>`;
}

function Groups({ part, row, filter, id }) {
  return html`<${Card} title="Groups">
    <div class="row">${filter}</div>
    <${Many} n=${part.groups.length} of=${part.counts.groups} />
    <${Table} caption="Groups of the institution" columns=${["Group", "Description", { title: "Participants", number: true }, "Status",
      "Last updated"]} empty="No group matches. An app creates groups, or the scenario has them.">
      ${part.groups.map(
        (g) => html`<${Row} key=${g.groupId} marked=${row === `groups/${id}/${g.groupId}`}>
          <td>${g.groupName}<br /><code class="quiet">${g.groupId}</code></td>
          <td>${g.groupDescription}</td>
          <td class="number">${g.groupParticipantCount}</td>
          <td>${g.groupStatus}</td>
          <td>${day(g.groupLastUpdatedDateTime)}</td>
        <//>`,
      )}
    <//>
  <//>`;
}

// Since shows what changed since the start or a snapshot.
function Since({ sandbox, since }) {
  const snapshots = useCall(at(sandbox, ["snapshots"]));
  const diff = useCall(at(sandbox, ["diff"], { since, limit: listed }), { every: 15000 });
  const names = ["start", ...(snapshots.data?.snapshots || []).map((s) => s.name)];
  if (!names.includes(since)) names.push(since);
  return html`<${Card} title="What changed" actions=${html`<${Button} onClick=${diff.reload}>Look again<//>`}>
    <div class="row"><${Field} as="select" label="Since" value=${since} onInput=${(since) => change({ since })}><${Options} of=${names}
      value=${since} /><//></div>
    <p class="hint">Snapshots are taken on the page <a href=${href("sandboxes", sandbox)}>Sandboxes</a>.</p>
    <${Loaded} from=${diff}>
      ${({ changes, total }) => html`
        <p role="status">${changes.length === 0
          ? `Nothing: the bank is as it was at ${since === "start" ? "the start" : "snapshot " + since}.`
          : `${plural(total, "row")} differ${total === 1 ? "s" : ""}.`}</p>
        ${changes.length < total && html`<p class="note">${changes.length} of them are shown. <code>GET …/diff</code> has all.</p>`}
        ${changes.length > 0 && html`<h3>Rows that differ</h3>`}${changes.map((c) => html`<${RowChange} key=${c.row} sandbox=${sandbox}
          of=${c} />`)}
      `}
    <//>
  <//>`;
}

// shownLines is how much of a long scenario is shown. Copies have all of it.
const shownLines = 400;

// Save writes the bank as it is now as a scenario.
function Save({ sandbox }) {
  const [yaml, setYAML] = useState(null);
  const [name, setName] = useState("");
  const load = useAction(async () => {
    setYAML(await call(at(sandbox, ["state"], { format: "scenario" })));
    return "The scenario was written.";
  });
  const start = useAction(async () => {
    const body = { scenarioYaml: yaml };
    if (name) body.name = name;
    const made = await call("v1/sandboxes", { body });
    go("bank", made.name);
    return `Sandbox ${made.name} was created.`;
  });
  const lines = yaml === null ? 0 : yaml.split("\n").length;
  return html`<${Card} title="Save as scenario" actions=${html`<${Button} kind=${yaml === null ? "main" : ""} busy=${load.busy}
    onClick=${load.run}>${yaml === null ? "Write the scenario" : "Write it again"}<//>`}>
    <p>The bank as it is now, written as a scenario: a sandbox that starts from it has an equal bank. Secrets are in it only where its
      own scenario gave them; tokens that were issued since are named in comments.</p>
    <${Problem} error=${load.error} />
    ${yaml !== null && html`
      <form class="row" onSubmit=${(event) => {
        event.preventDefault();
        start.run();
      }}>
        <${Field} label="Name of the new sandbox (empty: any)" value=${name} onInput=${setName} />
        <${Button} kind="main" type="submit" busy=${start.busy}>Start it as a new sandbox<//>
        <${Button} onClick=${() => save(sandbox + ".yaml", yaml, "application/yaml")}>Download<//>
        <${Copy} text=${yaml} what="the scenario" />
      </form>
      <${Problem} error=${start.error} />
      ${lines > shownLines &&
        html`<p class="note">The first ${shownLines} of ${plural(lines, "line")} are shown. Copy and download have all.</p>`}
      <${Code} plain label="the scenario" text=${lines > shownLines ? yaml.split("\n", shownLines).join("\n") : yaml} />
    `}
  <//>`;
}
