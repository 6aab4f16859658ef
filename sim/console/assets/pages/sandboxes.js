// The page Sandboxes: all of them with their forks, the chosen one, and a new one.

import { html, useEffect, useState } from "../vendor/preact.js";
import { at, call, path } from "../api.js";
import { useAction, useCall, useClock } from "../hooks.js";
import { change, go, href } from "../route.js";
import { Button, Card, Copy, Facts, Field, Loaded, Options, Problem, Sure, Table, Tag, When, day, plural } from "../ui.js";

const step = 200; // sandboxes shown at a time

export function Sandboxes({ sandbox, params, info, gone, simulator, reload }) {
  const text = params.text || "";
  const [limit, setLimit] = useState(step);
  const list = useCall(path(["sandboxes"], { text, limit }));
  // Where there are very many, as beside a test run, the list isn't loaded again for each that comes or goes.
  const row = list.data?.sandboxes.find((sb) => sb.name === sandbox);
  const stale = list.data && ((simulator && !text && simulator.sandboxes !== list.data.total) ||
    (row && info && row.lastReset?.at !== info.lastReset?.at));
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
        }} onClose=${() => change({ new: "", scenario: "" })} scenario=${params.scenario} />`}
        <${Field} label="Filter by name or scenario" value=${text} onInput=${(to) => change({ text: to }, { replace: true })}
          type="search" />
        <${Loaded} from=${list}>
          ${(data) => html`<p class="hint" role="status">
              ${data.sandboxes.length < data.total
                ? `The first ${data.sandboxes.length} of ${plural(data.total, "sandbox", "sandboxes")}.`
                : plural(data.total, "sandbox", "sandboxes") + "."}${" "}
              ${stale && many && html`There are ${simulator.sandboxes.toLocaleString("en")} now. <button type="button" class="link"
                onClick=${list.reload}>Load again</button>`}
            </p>
            <${List} of=${data.sandboxes} sandbox=${sandbox} params=${params} />
            ${data.sandboxes.length < data.total && html`<${Button}
              onClick=${() => setLimit(limit + step)}>Show ${Math.min(step, data.total - data.sandboxes.length)} more<//>`}`}
        <//>
      <//>
    </div>
    <aside aria-label=${"Sandbox " + sandbox}>
      ${!gone && (info || row)
        ? html`<${Chosen} key=${sandbox} sandbox=${sandbox} info=${info || row} onChange=${changed} onGone=${list.reload} />`
        : html`<${Card} title=${"Sandbox " + sandbox}><p
          class="quiet">${gone ? "There is no such sandbox. It may have been deleted: choose another one." : "Loading…"}</p><//>`}
    </aside>
  </div>`;
}

// List shows sandboxes as a tree: forks below what they were forked from.
function List({ of, sandbox, params }) {
  const rows = tree(of);
  return html`<div class="sandboxes">
    <${Table}
      caption="Sandboxes, forks below what they were forked from"
      empty=${params.text ? "No name and no scenario has this text." : "None."}
      columns=${["Name", "Scenario", { title: "Seed", number: true }, "Created", "Expires", "Last reset"]}
    >
      ${rows.map(
        ({ sb, depth, gone }) => html`<tr key=${sb.name} class=${sb.name === sandbox ? "chosen" : ""}>
          <td class="tree" style=${{ paddingLeft: `${Math.min(depth, 6) * 1.1}rem` }}>
            ${depth > 0 && html`<span aria-hidden="true" class="quiet">└ </span>`}<a
              href=${href("sandboxes", sb.name, { text: params.text })}
              aria-current=${sb.name === sandbox ? "true" : undefined}>${sb.name}</a>
            ${sb.forkedFrom && (depth === 0 || sb.forkedFrom.before || sb.forkedFrom.after) && html`<div
              class="hint">${forkedFrom(sb.forkedFrom, depth > 0)}${gone && ", which is not listed"}</div>`}
          </td>
          <td>${sb.scenario}</td>
          <td class="number">${seed(sb.seed)}</td>
          <td><${When} at=${sb.createdAt} /></td>
          <td>${sb.expiresAt ? html`<${When} at=${sb.expiresAt} />` : html`<span class="quiet">never</span>`}</td>
          <td>${sb.lastReset ? html`<${When} at=${sb.lastReset.at} /> by ${sb.lastReset.by === "watch" ? html`<${Tag}
            title="the scenario's files changed">watch<//>` : sb.lastReset.by}` : html`<span class="quiet">never</span>`}</td>
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

// One sandbox of the page Sandboxes: its clock, its snapshots, and what can be done to it.

export function Chosen({ sandbox, info, onChange, onGone }) {
  return html`<${Card} title=${"Sandbox " + sandbox} id="chosen" actions=${html`<a href=${href("bank", sandbox)}>Bank</a> <a
    href=${href("journal", sandbox)}>Journal</a>`}>
      <${Facts}
        of=${[
          ["Base URL", html`<span class="mono">${info.baseUrl}</span> <${Copy} text=${info.baseUrl} what="base URL" />`],
          ["Scenario", html`<a href=${href("scenario", sandbox)}>${info.scenario}</a>, seed ${seed(info.seed)}`],
          ["Starts as", info.forkedFrom && forkedFrom(info.forkedFrom)],
          ["Created", day(info.createdAt)],
          ["Expires", info.expiresAt && day(info.expiresAt)],
          ["Last reset", info.lastReset && `${day(info.lastReset.at)} by ${info.lastReset.by}`],
        ]}
      />
      <div class="stack"><${Actions} sandbox=${sandbox} onChange=${onChange} onGone=${onGone} /></div>
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
  return html`<form
      class="row"
      onSubmit=${(event) => {
        event.preventDefault();
        fork.run();
      }}
    >
      <${Field} label="Name of a fork" value=${name} onInput=${setName} placeholder="assigned" />
      <${Button} type="submit" busy=${fork.busy} title="A new sandbox that starts as this one is now">Fork<//>
    </form>
    <div class="actions">
      <${Sure} busy=${reset.busy} onClick=${reset.run} question="Reset: lose changes, faults and journal?">Reset<//>
      ${sandbox !== "default" && html`<${Sure} busy=${remove.busy} onClick=${remove.run} question="Delete with all it holds?">Delete<//>`}
    </div>
    <${Problem} error=${fork.error || reset.error || remove.error} />`;
}

const steps = [
  ["1m", "1 minute"],
  ["1h", "1 hour"],
  ["24h", "1 day"],
];

function ClockCard({ sandbox }) {
  const clock = useClock(sandbox);
  const [duration, setDuration] = useState("");
  const [time, setTime] = useState("");
  const change = useAction(async (body) => {
    const { now, running } = await call(at(sandbox, ["clock"]), { body });
    moved();
    return `The virtual time is ${day(now)} UTC${running ? "" : ", frozen"}.`;
  });
  const submit = (body) => (event) => {
    event.preventDefault();
    change.run(body);
  };
  return html`<${Card}
    title="Virtual clock"
    actions=${clock.data && html`<${Button} busy=${change.busy}
      onClick=${() => change.run({ run: !clock.data.running })}>${clock.data.running ? "Freeze" : "Let it run"}<//>`}
  >
    <${Loaded} from=${clock}>
      ${({ running }) => html`<p class="big-time"><time datetime=${clock.now}>${day(clock.now)}</time> <span
        class="quiet">UTC</span> <${Tag} kind=${running ? "ok" : "warn"}>${running ? "running" : "frozen"}<//></p>`}
    <//>
    <div class="stack"><div class="actions" role="group" aria-label="Advance">
      ${steps.map(([advance, name]) => html`<${Button} key=${advance} busy=${change.busy} title=${"Advance by " + name}
        onClick=${() => change.run({ advance })}>+${name}<//>`)}
    </div>
    <form class="row" onSubmit=${submit({ advance: duration })}>
      <${Field} label="Advance by, such as 90m or -2h" value=${duration} onInput=${setDuration} />
      <${Button} type="submit" busy=${change.busy} disabled=${!duration}>Advance<//>
    </form>
    <form class="row" onSubmit=${submit({ set: utc(time) })}>
      <${Field} label="Set to, UTC" value=${time} onInput=${setTime} placeholder=${clock.now ? day(clock.now) : ""} />
      <${Button} type="submit" busy=${change.busy} disabled=${!time}>Set<//>
    </form>
    <${Problem} error=${change.error} /></div>
  <//>`;
}

// utc returns a time as it was typed in RFC 3339. What isn't complete is taken as the beginning of it.
function utc(text) {
  const [, date, time, zone] = text.trim().match(/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(Z|[+-]\d\d:\d\d)?$/i) || [];
  if (!date) return text;
  return `${date}T${!time ? "00:00:00" : time.length === 5 ? time + ":00" : time}${zone || "Z"}`;
}

function Snapshots({ sandbox, onChange }) {
  const list = useCall(at(sandbox, ["snapshots"]));
  const [name, setName] = useState("");
  const act = (path, options, said) => async () => {
    await call(path, options);
    list.reload();
    return said;
  };
  const take = useAction(async () => {
    const done = await act(at(sandbox, ["snapshots"]), { body: { name } }, `Took the snapshot ${name}.`)();
    setName("");
    return done;
  });
  const restore = useAction(async (of) => {
    const done = await act(at(sandbox, ["snapshots", of, "restore"]), { method: "POST" }, `Restored ${of}.`)();
    onChange();
    moved();
    return done;
  });
  const remove = useAction((of) => act(at(sandbox, ["snapshots", of]), { method: "DELETE" }, `Deleted the snapshot ${of}.`)());
  return html`<${Card} title="Snapshots">
    <${Loaded} from=${list}>
      ${({ snapshots }) => html`<${Table} caption="Snapshots of this sandbox" columns=${["Name", "Virtual time", "Taken", "Actions"]}
        empty="None. A snapshot keeps the bank as it is now, to return to it or to see what has changed since.">
        ${snapshots.map(
          (s) => html`<tr key=${s.name}>
            <td>${s.name}</td>
            <td>${day(s.now)}</td>
            <td>${day(s.takenAt)}</td>
            <td>
              <div class="actions">
                <a href=${href("bank", sandbox, { view: "changes", since: s.name })}>Changes since</a>
                <${Sure} busy=${restore.busy} onClick=${() => restore.run(s.name)} question="Lose what has changed since?">Restore<span
                  class="unseen"> ${s.name}</span><//>
                <${Sure} busy=${remove.busy} onClick=${() => remove.run(s.name)} question="Delete the snapshot?">Delete<span
                  class="unseen"> ${s.name}</span><//>
              </div>
            </td>
          </tr>`,
        )}
      <//>`}
    <//>
    <form
      class="row"
      onSubmit=${(event) => {
        event.preventDefault();
        take.run();
      }}
    >
      <${Field} label="Name of a new snapshot" value=${name} onInput=${setName} required />
      <${Button} type="submit" busy=${take.busy} disabled=${!name}>Take a snapshot<//>
    </form>
    <${Problem} error=${take.error || restore.error || remove.error} />
  <//>`;
}

// The form for a new sandbox of the page Sandboxes.

const own = "\n"; // the choice of YAML, which no scenario can have as its name

export function Create({ onDone, onClose, scenario = "" }) {
  const catalogue = useCall("v1/scenarios");
  const [plan, set] = useState({ name: "", scenario, yaml: "extends: base\n", seed: "", ttl: "" });
  const of = (member) => (value) => set({ ...plan, [member]: value });
  const create = useAction(async () => {
    const body = {};
    if (plan.name) body.name = plan.name;
    if (plan.scenario === own) body.scenarioYaml = plan.yaml;
    else if (plan.scenario) body.scenario = plan.scenario;
    if (plan.ttl) body.ttl = plan.ttl;
    // A seed can be larger than the numbers of JavaScript, so it is written into the JSON as it is.
    let json = JSON.stringify(body);
    if (plan.seed) json = json.replace(/\}$/, `${json === "{}" ? "" : ","}"seed":${plan.seed}}`);
    const { name } = await call("v1/sandboxes", { body: json, type: "application/json" });
    onDone(name);
    return `Created the sandbox ${name}.`;
  });
  const badSeed = plan.seed && !/^(0|[1-9][0-9]*)$/.test(plan.seed) ? "A whole number." : "";
  const known = catalogue.data?.scenarios || [];
  return html`<form
    class="new-sandbox stack"
    aria-label="New sandbox"
    onSubmit=${(event) => {
      event.preventDefault();
      if (!badSeed) create.run();
    }}
  >
    <${Field} label="Name" value=${plan.name} onInput=${of("name")} placeholder="assigned" hint="1 to 63 of a-z, 0-9 and -." autofocus />
    <${Field} label="Scenario" as="select" value=${plan.scenario} onInput=${of("scenario")}
      hint=${known.find((s) => s.name === plan.scenario)?.description}>
      <${Options} of=${[["", "the one of the simulator"], ...known.map((s) => s.name), [own, "written here, as YAML"]]}
        value=${plan.scenario} />
    <//>
    ${plan.scenario === own && html`<${Field} label="YAML of the scenario" as="textarea" value=${plan.yaml} onInput=${of("yaml")} />`}
    <div class="row">
      <${Field} label="Seed" placeholder="the scenario's" value=${plan.seed} onInput=${of("seed")} inputmode="numeric" error=${badSeed} />
      <${Field} label="Lifetime, such as 1h" placeholder="for ever" value=${plan.ttl} onInput=${of("ttl")} />
    </div>
    <${Problem} error=${create.error} />
    <div class="actions"><${Button} kind="main" type="submit" busy=${create.busy}>Create<//><${Button} onClick=${onClose}>Cancel<//></div>
  </form>`;
}
