// The page Sandboxes: all of them with their forks, the chosen one, and a new one.

import { html, useState } from "../vendor/preact.js";
import { at, call, path } from "../api.js";
import { useAction, useCall, useClock } from "../hooks.js";
import { change, go, href } from "../route.js";
import { Button, Card, Copy, Facts, Field, Form, Loaded, Options, Problem, Sure, Table, Tag, When, breakable, day,
  plural } from "../ui.js";

const step = 200; // sandboxes shown at a time

export function Sandboxes({ sandbox, params, info, gone, reload }) {
  const text = params.text || "";
  const [limit, setLimit] = useState(step);
  const list = useCall(path(["sandboxes"], { text, limit }), { every: 5000, keep: "" });
  const row = list.data?.sandboxes.find((sb) => sb.name === sandbox);
  const changed = () => {
    list.reload();
    reload();
  };
  const created = (name) => {
    changed();
    go("sandboxes", name, { text });
  };
  const close = () => change({ new: "", scenario: "" });
  const begin = html`<${Button} onClick=${() => change({ new: "1" })}>New sandbox<//>`;
  const create = html`<${Create} scenario=${params.scenario} onClose=${close} onDone=${created} />`;
  const rows = ({ sandboxes, total }) => {
    const more = sandboxes.length < total;
    const showMore = html`<${Button} onClick=${() => setLimit(limit + step)}>Show more<//>`;
    return html`<p class="hint" role="status">${more && `The first ${sandboxes.length} of `}${plural(total, "sandbox",
      "sandboxes")}.</p>
      <${List} sandboxes=${sandboxes} sandbox=${sandbox} text=${text} />${more && showMore}`;
  };
  const absent = gone ? "There is no such sandbox. It may have been deleted: choose another one." : "Loading…";
  const chosen = !gone && (info || row) ? html`<${Chosen} key=${sandbox} sandbox=${sandbox} info=${info || row}
    onChange=${changed}
    onGone=${list.reload} />` : html`<${Card} title=${"Sandbox " + sandbox}><p class="quiet">${absent}</p><//>`;
  return html`<div class="split wide-list">
    <${Card} title="All sandboxes" actions=${!params.new && begin}>
      ${params.new && create}
      <${Field} label="Filter by name or scenario" value=${text} type="search"
        onInput=${(to) => change({ text: to }, { replace: true })} />
      <${Loaded} from=${list}>${rows}<//>
    <//>
    <aside aria-label=${"Sandbox " + sandbox}>${chosen}</aside>
  </div>`;
}

// List shows sandboxes as a tree, with forks below their origins.
function List({ sandboxes, sandbox, text }) {
  const row = ({ sb, depth }) => html`<tr key=${sb.name} class=${sb.name === sandbox ? "chosen" : ""}>
    <td style=${{ paddingLeft: `${Math.min(depth, 6) * 1.1}rem` }}>
      <span aria-hidden="true" class="quiet">${depth > 0 && "└ "}</span><a
        href=${href("sandboxes", sb.name, { text })}
        aria-current=${sb.name === sandbox ? "true" : undefined}>${sb.name}</a>
      <span class="hint"> ${sb.forkedFrom && forkedFrom(sb.forkedFrom, depth > 0)}</span>
    </td>
    <td data-label="Scenario">${sb.scenario}</td>
    <td data-label="Created"><${When} at=${sb.createdAt} /></td>
    <td data-label=${sb.expiresAt && "Expires"}>${sb.expiresAt && when(sb.expiresAt)}</td>
    <td data-label=${sb.lastReset && "Last reset"}>${sb.lastReset && [when(sb.lastReset.at), " by ",
      sb.lastReset.by]}</td>
  </tr>`;
  return html`<${Table} narrow caption="Sandboxes, forks below what they were forked from"
    empty=${text ? "No name and no scenario has this text." : "None."}
    columns=${["Name", "Scenario", "Created", "Expires", "Last reset"]}>${tree(sandboxes).map(row)}<//>`;
}

const when = (time) => html`<${When} at=${time} />`;

// forkedFrom says what a sandbox was forked from. Where the tree shows that, it says only when.
function forkedFrom({ sandbox, before, after }, shown) {
  return [!shown && `fork of ${sandbox}`, before && `before exchange ${before}`, after
    && `after exchange ${after}`].filter(Boolean).join(" ");
}

// tree returns sandboxes in the order of a tree, with their depths. If a sandbox is younger than its fork, it
// only has the name of the sandbox that the fork came from.
function tree(sandboxes) {
  const named = new Map(sandboxes.map((sb) => [sb.name, sb]));
  const parentOf = (sb) => {
    const parent = named.get(sb.forkedFrom?.sandbox);
    return parent && parent !== sb && Date.parse(parent.createdAt) <= Date.parse(sb.createdAt) ? parent : undefined;
  };
  const below = Map.groupBy(sandboxes, parentOf);
  const rows = [];
  const waiting = (below.get(undefined) || []).map((sb) => ({ sb, depth: 0 })).reverse();
  while (waiting.length > 0) {
    const row = waiting.pop();
    rows.push(row);
    waiting.push(...(below.get(row.sb) || []).map((sb) => ({ sb, depth: row.depth + 1 })).reverse());
  }
  return rows;
}

// Chosen is one sandbox: its clock, its snapshots, and what can be done to it.
function Chosen({ sandbox, info, onChange, onGone }) {
  return html`<${Card} title=${"Sandbox " + sandbox} id="chosen" actions=${html`<a href=${href("bank",
    sandbox)}>Bank</a> <a
    href=${href("journal", sandbox)}>Journal</a>`}>
      <${Facts} of=${[
        ["Base URL", html`<span class="mono">${breakable(info.baseUrl)}</span> <${Copy} text=${info.baseUrl} what="base URL" />`],
        ["Scenario", html`<a href=${href("scenario", sandbox)}>${info.scenario}</a>`],
        ["Seed", html`<span class="mono">${info.seed}</span>`],
        ["Starts as", info.forkedFrom && forkedFrom(info.forkedFrom)],
        ["Created", day(info.createdAt)],
        ["Expires", info.expiresAt && day(info.expiresAt)],
        ["Resets", info.resets && `daily at ${info.resets.daily} ${info.resets.zone || "UTC"}`],
        ["Last reset", info.lastReset && `${day(info.lastReset.at)} by ${info.lastReset.by}`],
      ]} />
      <${Actions} sandbox=${sandbox} onChange=${onChange} onGone=${onGone} />
      <${Resets} sandbox=${sandbox} resets=${info.resets} onChange=${onChange} />
    <//>
    <${ClockCard} sandbox=${sandbox} />
    <${Snapshots} sandbox=${sandbox} onChange=${onChange} />`;
}

// moved tells the frame that the virtual clock may show another time.
function moved() {
  dispatchEvent(new Event("banksim-clock"));
}

function Actions({ sandbox, onChange, onGone }) {
  const [name, setName] = useState("");
  const fork = useAction(async () => {
    const made = await call(at(sandbox, ["fork"]), { body: name ? { name } : {} });
    onChange();
    go("sandboxes", made.name);
    return `Forked ${sandbox} as ${made.name}.`;
  });
  const reset = useAction(async () => {
    await call(at(sandbox, ["reset"]), { method: "POST" });
    onChange();
    moved();
    return `Reset ${sandbox}.`;
  });
  const remove = useAction(async () => {
    await call(at(sandbox), { method: "DELETE" });
    go("sandboxes", "default");
    onGone();
    return `Deleted ${sandbox}.`;
  });
  const sure = (action, question, label) => html`<${Sure} busy=${action.busy} onClick=${action.run}
    question=${question}>${label}<//>`;
  return html`<${Form} class="row" onSubmit=${fork.run}>
      <${Field} label="Name of a fork" value=${name} onInput=${setName} placeholder="assigned"
        error=${fork.error?.message} />
      <${Button} type="submit" busy=${fork.busy} title="A new sandbox that starts as this one is now">Fork<//>
    <//>
    <div class="actions">
      ${sure(reset, "Reset: lose changes, faults and journal?", "Reset")}
      ${sandbox !== "default" && sure(remove, "Delete with all it holds?", "Delete")}
    </div>
    <${Problem} error=${reset.error || remove.error} />`;
}

// Resets sets or stops the daily reset of a sandbox.
function Resets({ sandbox, resets, onChange }) {
  const [daily, setDaily] = useState("");
  const [zone, setZone] = useState("");
  const set = useAction(async () => {
    const { resets } = await call(at(sandbox, ["resets"]), { method: "PUT", body: zone ? { daily, zone } : { daily } });
    onChange();
    return `The next reset is at ${day(resets.next)} UTC.`;
  });
  const stop = useAction(async () => {
    await call(at(sandbox, ["resets"]), { method: "DELETE" });
    onChange();
    return `${sandbox} is not reset by itself.`;
  });
  return html`<${Form} class="row" onSubmit=${set.run}>
      <${Field} label="Reset daily at" value=${daily} onInput=${setDaily} placeholder="04:00"
        error=${set.error?.message} />
      <${Field} label="Time zone" value=${zone} onInput=${setZone} placeholder="UTC" />
      <${Button} type="submit" busy=${set.busy} disabled=${!daily}>Set<//>
      ${resets && html`<${Button} busy=${stop.busy} onClick=${stop.run}>Stop resets<//>`}
    <//>
    <${Problem} error=${stop.error} />`;
}

const steps = [["1m", "1 minute"], ["1h", "1 hour"], ["24h", "1 day"]];

function ClockCard({ sandbox }) {
  const clock = useClock(sandbox);
  const [duration, setDuration] = useState("");
  const [time, setTime] = useState("");
  const moveClock = useAction(async (body) => {
    const { now, running } = await call(at(sandbox, ["clock"]), { body });
    moved();
    return `The virtual time is ${day(now)} UTC${running ? "" : ", frozen"}.`;
  });
  const button = (label, body) => html`<${Button} busy=${moveClock.busy} onClick=${() => run("", body)}>${label}<//>`;
  const turn = clock.data && button(clock.data.running ? "Freeze" : "Let it run", { run: !clock.data.running });
  const shown = ({ running }) => html`<p class="big-time"><time
    datetime=${clock.now}>${day(clock.now)}</time> UTC <${Tag}
    kind=${running ? "ok" : "warn"}>${running ? "running" : "frozen"}<//></p>`;
  const [sent, setSent] = useState(""); // the label of the form that was sent last, or ""
  const run = (label, body) => {
    setSent(label);
    moveClock.run(body);
  };
  const form = (label, value, set, placeholder, submit, body) => html`<${Form} class="row" onSubmit=${() =>
    run(label, body)}>
    <${Field} label=${label} value=${value} onInput=${set} placeholder=${placeholder}
      error=${sent === label && moveClock.error?.message} />
    <${Button} type="submit" busy=${moveClock.busy} disabled=${!value}>${submit}<//>
  <//>`;
  return html`<${Card} title="Virtual clock" actions=${turn}>
    <${Loaded} from=${clock}>${shown}<//>
    <div class="actions" role="group" aria-label="Advance">${steps.map(([advance, name]) => button("+" + name,
      { advance }))}</div>
    ${form("Advance by", duration, setDuration, "90m or -2h", "Advance", { advance: duration })}
    ${form("Set to, UTC", time, setTime, clock.now && day(clock.now), "Set", { set: utc(time) })}
    <${Problem} error=${!sent && moveClock.error} />
  <//>`;
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/i;

// utc returns a time that was typed as RFC 3339. What is missing is the beginning: midnight, second 0, UTC.
function utc(text) {
  const [, date, time = "00:00", seconds = ":00", zone = "Z"] = text.trim().match(rfc3339) || [];
  return date ? `${date}T${time}${seconds}${zone}` : text;
}

function Snapshots({ sandbox, onChange }) {
  const list = useCall(at(sandbox, ["snapshots"]));
  const [name, setName] = useState("");
  const act = useAction(async (said, parts, options) => {
    await call(at(sandbox, ["snapshots", ...parts]), options);
    list.reload();
    return said;
  });
  const take = useAction(async () => {
    await call(at(sandbox, ["snapshots"]), { body: { name } });
    list.reload();
    setName("");
    return `Took the snapshot ${name}.`;
  });
  const restore = async (snapshot) => {
    if (!(await act.run(`Restored ${snapshot}.`, [snapshot, "restore"], { method: "POST" }))) return;
    onChange();
    moved();
  };
  const remove = (snapshot) => act.run(`Deleted the snapshot ${snapshot}.`, [snapshot], { method: "DELETE" });
  const sure = (snapshot, run, question, label) => html`<${Sure} busy=${act.busy} onClick=${() =>
    run(snapshot)}
    question=${question}>${label}<span class="unseen"> ${snapshot}</span><//>`;
  const row = (s) => html`<li key=${s.name}>
    <p>${s.name}</p>
    <p class="hint">Virtual time ${day(s.now)}, taken ${day(s.takenAt)}</p>
    <div class="actions">
      <a href=${href("bank", sandbox, { view: "changes", since: s.name })}>Changes since</a>
      ${sure(s.name, restore, "Lose what has changed since?", "Restore")}
      ${sure(s.name, remove, "Delete the snapshot?", "Delete")}
    </div>
  </li>`;
  const none = html`<p class="quiet">None. A snapshot keeps the bank, to return to it or to see what has changed
    since.</p>`;
  const rows = ({ snapshots }) => (snapshots.length > 0 ? html`<ul class="rules">${snapshots.map(row)}</ul>` : none);
  return html`<${Card} title="Snapshots">
    <${Loaded} from=${list}>${rows}<//>
    <${Form} class="row" onSubmit=${take.run}>
      <${Field} label="Name of a new snapshot" value=${name} onInput=${setName} required
        error=${take.error?.message} />
      <${Button} type="submit" busy=${take.busy} disabled=${!name}>Take a snapshot<//>
    <//>
    <${Problem} error=${act.error} />
  <//>`;
}

const ownYAML = "\n"; // the choice of a scenario that is written here: a name that no scenario can have

// Create is the form for a new sandbox.
function Create({ onDone, onClose, scenario = "" }) {
  const catalogue = useCall("v1/scenarios");
  const [plan, set] = useState({ name: "", scenario, yaml: "extends: base\n", seed: "", ttl: "" });
  const isOwn = plan.scenario === ownYAML;
  const field = (member, label, props) => html`<${Field} label=${label} value=${plan[member]} onInput=${(value) =>
    set({ ...plan, [member]: value })} ...${props} />`;
  const create = useAction(async () => {
    const json = JSON.stringify({
      name: plan.name || undefined,
      [isOwn ? "scenarioYaml" : "scenario"]: isOwn ? plan.yaml : plan.scenario || undefined,
      ttl: plan.ttl || undefined,
      seed: plan.seed ? "seed" : undefined,
    }).replace(/"seed"\}$/, plan.seed + "}"); // a seed can be larger than the numbers of JavaScript
    const { name } = await call("v1/sandboxes", { body: json, type: "application/json" });
    onDone(name);
    return `Created the sandbox ${name}.`;
  });
  const badSeed = plan.seed && !/^(0|[1-9][0-9]*)$/.test(plan.seed) ? "A whole number." : "";
  const { message } = create.error || {};
  const errorOf = (member) => new RegExp(`^(a )?${member} `).test(message) && message;
  const hasField = errorOf("name") || errorOf("ttl");
  const known = catalogue.data?.scenarios || [];
  const options = [["", "the one of the simulator"], ...known.map((s) => s.name), [ownYAML, "written here, as YAML"]];
  const children = html`<${Options} value=${plan.scenario} of=${options} />`;
  const hint = known.find((s) => s.name === plan.scenario)?.description;
  return html`<${Form} class="new-sandbox" aria-label="New sandbox" onSubmit=${() => badSeed || create.run()}>
    ${field("name", "Name", { placeholder: "assigned", hint: "1 to 63 of a-z, 0-9 and -.", autofocus: true,
      error: errorOf("name") })}
    ${field("scenario", "Scenario", { as: "select", hint, children })}
    ${isOwn && field("yaml", "YAML of the scenario", { as: "textarea" })}
    <div class="row">
      ${field("seed", "Seed", { placeholder: "the scenario's", inputmode: "numeric", error: badSeed })}
      ${field("ttl", "Lifetime, such as 1h", { placeholder: "for ever", error: errorOf("ttl") })}
    </div>
    <${Problem} error=${!hasField && create.error} />
    <div class="actions">
      <${Button} kind="main" type="submit" busy=${create.busy}>Create<//><${Button} onClick=${onClose}>Cancel<//>
    </div>
  <//>`;
}
