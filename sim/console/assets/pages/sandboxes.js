// The page Sandboxes: all of them with their forks, the chosen one, and a new one.

import { html, useEffect, useState } from "../vendor/preact.js";
import { at, call, path } from "../api.js";
import { useAction, useCall, useClock } from "../hooks.js";
import { Form } from "../parts.js";
import { change, go, href } from "../route.js";
import { Button, Card, Copy, Facts, Field, Loaded, Options, Problem, Sure, Table, Tag, When, day, plural } from "../ui.js";

const step = 200; // sandboxes shown at a time

export function Sandboxes({ sandbox, params, info, gone, simulator, reload }) {
  const text = params.text || "";
  const [limit, setLimit] = useState(step);
  const list = useCall(path(["sandboxes"], { text, limit }));
  const row = list.data?.sandboxes.find((sb) => sb.name === sandbox);
  const stale = list.data && ((simulator && !text && simulator.sandboxes !== list.data.total) ||
    (row && info && row.lastReset?.at !== info.lastReset?.at));
  const many = list.data?.total > step; // then the list isn't loaded for each sandbox that a test run makes
  useEffect(() => {
    if (stale && !many) list.reload();
  }, [stale, many, simulator?.sandboxes]);
  const changed = () => {
    list.reload();
    reload();
  };
  return html`<div class="split wide-list">
    <${Card} title="All sandboxes" actions=${!params.new && html`<${Button}
      onClick=${() => change({ new: "1" })}>New sandbox<//>`}>
      ${params.new && html`<${Create} scenario=${params.scenario} onClose=${() => change({ new: "", scenario: "" })} onDone=${(name) => {
        changed();
        go("sandboxes", name, { text });
      }} />`}
      <${Field} label="Filter by name or scenario" value=${text} type="search"
        onInput=${(to) => change({ text: to }, { replace: true })} />
      <${Loaded} from=${list}>${({ sandboxes, total }) => html`
        <p class="hint" role="status">${sandboxes.length < total && `The first ${sandboxes.length} of `}${plural(total, "sandbox",
          "sandboxes")}. ${stale && many && html`<button type="button" class="link" onClick=${list.reload}>Load again</button>`}</p>
        <${List} of=${sandboxes} sandbox=${sandbox} text=${text} />
        ${sandboxes.length < total && html`<${Button} onClick=${() => setLimit(limit + step)}>Show more<//>`}`}<//>
    <//>
    <aside aria-label=${"Sandbox " + sandbox}>${!gone && (info || row)
      ? html`<${Chosen} key=${sandbox} sandbox=${sandbox} info=${info || row} onChange=${changed} onGone=${list.reload} />`
      : html`<${Card} title=${"Sandbox " + sandbox}><p class="quiet">${gone
        ? "There is no such sandbox. It may have been deleted: choose another one." : "Loading…"}</p><//>`}</aside>
  </div>`;
}

// List shows sandboxes as a tree: forks below what they were forked from.
function List({ of, sandbox, text }) {
  const never = html`<span class="quiet">never</span>`;
  return html`<${Table} narrow caption="Sandboxes, forks below what they were forked from"
    empty=${text ? "No name and no scenario has this text." : "None."} columns=${["Name", "Scenario", "Created", "Expires", "Last reset"]}>
    ${tree(of).map(({ sb, depth }) => html`<tr key=${sb.name} class=${sb.name === sandbox ? "chosen" : ""}>
      <td style=${{ paddingLeft: `${Math.min(depth, 6) * 1.1}rem` }}>
        ${depth > 0 && html`<span aria-hidden="true" class="quiet">└ </span>`}<a href=${href("sandboxes", sb.name, { text })}
          aria-current=${sb.name === sandbox ? "true" : undefined}>${sb.name}</a>
        ${sb.forkedFrom && html` <span class="hint">${forkedFrom(sb.forkedFrom, depth > 0)}</span>`}
      </td>
      <td data-label="Scenario">${sb.scenario}</td>
      <td data-label="Created"><${When} at=${sb.createdAt} /></td>
      <td data-label="Expires">${sb.expiresAt ? html`<${When} at=${sb.expiresAt} />` : never}</td>
      <td data-label="Last reset">${sb.lastReset ? html`<${When} at=${sb.lastReset.at} /> by ${sb.lastReset.by}` : never}</td>
    </tr>`)}
  <//>`;
}

// forkedFrom says what a sandbox was forked from. Where the tree shows that, it says only when.
function forkedFrom({ sandbox, before, after }, shown) {
  return [!shown && `fork of ${sandbox}`, before && `before exchange ${before}`, after && `after exchange ${after}`].filter(Boolean).join(" ");
}

// tree returns sandboxes in the order of a tree, with their depths. A sandbox that is younger than its fork only has the name of the
// sandbox that the fork came from.
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
  return html`<${Card} title=${"Sandbox " + sandbox} id="chosen" actions=${html`<a href=${href("bank", sandbox)}>Bank</a> <a
    href=${href("journal", sandbox)}>Journal</a>`}>
      <${Facts} of=${[
        ["Base URL", html`<span class="mono">${info.baseUrl}</span> <${Copy} text=${info.baseUrl} what="base URL" />`],
        ["Scenario", html`<a href=${href("scenario", sandbox)}>${info.scenario}</a>`],
        ["Seed", html`<span class="mono">${info.seed}</span>`],
        ["Starts as", info.forkedFrom && forkedFrom(info.forkedFrom)],
        ["Created", day(info.createdAt)],
        ["Expires", info.expiresAt && day(info.expiresAt)],
        ["Last reset", info.lastReset && `${day(info.lastReset.at)} by ${info.lastReset.by}`],
      ]} />
      <${Actions} sandbox=${sandbox} onChange=${onChange} onGone=${onGone} />
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
  return html`<${Form} class="row" onSubmit=${fork.run}>
      <${Field} label="Name of a fork" value=${name} onInput=${setName} placeholder="assigned" />
      <${Button} type="submit" busy=${fork.busy} title="A new sandbox that starts as this one is now">Fork<//>
    <//>
    <div class="actions">
      <${Sure} busy=${reset.busy} onClick=${reset.run} question="Reset: lose changes, faults and journal?">Reset<//>
      ${sandbox !== "default" && html`<${Sure} busy=${remove.busy} onClick=${remove.run} question="Delete with all it holds?">Delete<//>`}
    </div>
    <${Problem} error=${fork.error || reset.error || remove.error} />`;
}

function ClockCard({ sandbox }) {
  const clock = useClock(sandbox);
  const [duration, setDuration] = useState("");
  const [time, setTime] = useState("");
  const change = useAction(async (body) => {
    const { now, running } = await call(at(sandbox, ["clock"]), { body });
    moved();
    return `The virtual time is ${day(now)} UTC${running ? "" : ", frozen"}.`;
  });
  return html`<${Card} title="Virtual clock" actions=${clock.data && html`<${Button} busy=${change.busy}
    onClick=${() => change.run({ run: !clock.data.running })}>${clock.data.running ? "Freeze" : "Let it run"}<//>`}>
    <${Loaded} from=${clock}>${({ running }) => html`<p class="big-time"><time datetime=${clock.now}>${day(clock.now)}</time> <span
      class="quiet">UTC</span> <${Tag} kind=${running ? "ok" : "warn"}>${running ? "running" : "frozen"}<//></p>`}<//>
    <div class="actions" role="group" aria-label="Advance">
      ${[["1m", "1 minute"], ["1h", "1 hour"], ["24h", "1 day"]].map(([advance, name]) => html`<${Button} key=${advance} busy=${change.busy}
        title=${"Advance by " + name} onClick=${() => change.run({ advance })}>+${name}<//>`)}
    </div>
    <${Form} class="row" onSubmit=${() => change.run({ advance: duration })}>
      <${Field} label="Advance by" value=${duration} onInput=${setDuration} placeholder="90m or -2h" />
      <${Button} type="submit" busy=${change.busy} disabled=${!duration}>Advance<//>
    <//>
    <${Form} class="row" onSubmit=${() => change.run({ set: utc(time) })}>
      <${Field} label="Set to, UTC" value=${time} onInput=${setTime} placeholder=${clock.now ? day(clock.now) : ""} />
      <${Button} type="submit" busy=${change.busy} disabled=${!time}>Set<//>
    <//>
    <${Problem} error=${change.error} />
  <//>`;
}

// utc returns a time that was typed as RFC 3339. What is missing is the beginning: midnight, second 0, UTC.
function utc(text) {
  const [, date, time, zone] = text.trim().match(/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(Z|[+-]\d\d:\d\d)?$/i) || [];
  if (!date) return text;
  return `${date}T${!time ? "00:00:00" : time.length === 5 ? time + ":00" : time}${zone || "Z"}`;
}

function Snapshots({ sandbox, onChange }) {
  const list = useCall(at(sandbox, ["snapshots"]));
  const [name, setName] = useState("");
  const act = useAction(async (said, parts, options) => {
    await call(at(sandbox, ["snapshots", ...parts]), options);
    list.reload();
    return said;
  });
  const take = async () => (await act.run(`Took the snapshot ${name}.`, [], { body: { name } })) && setName("");
  const restore = async (of) => {
    if (!(await act.run(`Restored ${of}.`, [of, "restore"], { method: "POST" }))) return;
    onChange();
    moved();
  };
  const remove = (of) => act.run(`Deleted the snapshot ${of}.`, [of], { method: "DELETE" });
  return html`<${Card} title="Snapshots">
    <${Loaded} from=${list}>${({ snapshots }) => html`<${Table} narrow caption="Snapshots of this sandbox" columns=${["Name", "Virtual time",
      "Taken", "Actions"]} empty="None. A snapshot keeps the bank as it is now, to return to it or to see what has changed since.">
      ${snapshots.map((s) => html`<tr key=${s.name}>
        <td>${s.name}</td>
        <td data-label="Virtual time">${day(s.now)}</td>
        <td data-label="Taken">${day(s.takenAt)}</td>
        <td><div class="actions">
          <a href=${href("bank", sandbox, { view: "changes", since: s.name })}>Changes since</a>
          <${Sure} busy=${act.busy} onClick=${() => restore(s.name)} question="Lose what has changed since?">Restore<span
            class="unseen"> ${s.name}</span><//>
          <${Sure} busy=${act.busy} onClick=${() => remove(s.name)} question="Delete the snapshot?">Delete<span
            class="unseen"> ${s.name}</span><//>
        </div></td>
      </tr>`)}
    <//>`}<//>
    <${Form} class="row" onSubmit=${take}>
      <${Field} label="Name of a new snapshot" value=${name} onInput=${setName} required />
      <${Button} type="submit" busy=${act.busy} disabled=${!name}>Take a snapshot<//>
    <//>
    <${Problem} error=${act.error} />
  <//>`;
}

const own = "\n"; // the choice of YAML, a name that no scenario can have

// Create is the form for a new sandbox.
function Create({ onDone, onClose, scenario = "" }) {
  const catalogue = useCall("v1/scenarios");
  const [plan, set] = useState({ name: "", scenario, yaml: "extends: base\n", seed: "", ttl: "" });
  const field = (member, label, more) => html`<${Field} label=${label} value=${plan[member]} onInput=${(value) => set({ ...plan,
    [member]: value })} ...${more} />`;
  const create = useAction(async () => {
    const json = JSON.stringify({
      name: plan.name || undefined,
      [plan.scenario === own ? "scenarioYaml" : "scenario"]: plan.scenario === own ? plan.yaml : plan.scenario || undefined,
      ttl: plan.ttl || undefined,
      seed: plan.seed ? "seed" : undefined,
    }).replace(/"seed"\}$/, plan.seed + "}"); // a seed can be larger than the numbers of JavaScript
    const { name } = await call("v1/sandboxes", { body: json, type: "application/json" });
    onDone(name);
    return `Created the sandbox ${name}.`;
  });
  const badSeed = plan.seed && !/^(0|[1-9][0-9]*)$/.test(plan.seed) ? "A whole number." : "";
  const known = catalogue.data?.scenarios || [];
  return html`<${Form} class="new-sandbox" aria-label="New sandbox" onSubmit=${() => badSeed || create.run()}>
    ${field("name", "Name", { placeholder: "assigned", hint: "1 to 63 of a-z, 0-9 and -.", autofocus: true })}
    ${field("scenario", "Scenario", { as: "select", hint: known.find((s) => s.name === plan.scenario)?.description,
      children: html`<${Options} value=${plan.scenario} of=${[["", "the one of the simulator"], ...known.map((s) => s.name),
        [own, "written here, as YAML"]]} />` })}
    ${plan.scenario === own && field("yaml", "YAML of the scenario", { as: "textarea" })}
    <div class="row">
      ${field("seed", "Seed", { placeholder: "the scenario's", inputmode: "numeric", error: badSeed })}
      ${field("ttl", "Lifetime, such as 1h", { placeholder: "for ever" })}
    </div>
    <${Problem} error=${create.error} />
    <div class="actions"><${Button} kind="main" type="submit" busy=${create.busy}>Create<//><${Button} onClick=${onClose}>Cancel<//></div>
  <//>`;
}
