// One sandbox of the page Sandboxes: its clock, its snapshots, and what can be done to it.

import { html, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall, useClock } from "../hooks.js";
import { go, href } from "../route.js";
import { Button, Card, Copy, Facts, Field, Loaded, Problem, Sure, Table, Tag, day } from "../ui.js";
import { forkedFrom, seed } from "./sandboxes.js";

export function Chosen({ sandbox, info, onChange, onGone }) {
  return html`<${Card} title=${"Sandbox " + sandbox} id="chosen" actions=${html`<a href=${href("bank", sandbox)}>Bank</a> <a href=${href("journal", sandbox)}>Journal</a>`}>
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
    actions=${clock.data && html`<${Button} busy=${change.busy} onClick=${() => change.run({ run: !clock.data.running })}>${clock.data.running ? "Freeze" : "Let it run"}<//>`}
  >
    <${Loaded} from=${clock}>
      ${({ running }) => html`<p class="big-time"><time datetime=${clock.now}>${day(clock.now)}</time> <span class="quiet">UTC</span> <${Tag} kind=${running ? "ok" : "warn"}>${running ? "running" : "frozen"}<//></p>`}
    <//>
    <div class="stack"><div class="actions" role="group" aria-label="Advance">
      ${steps.map(([advance, name]) => html`<${Button} key=${advance} busy=${change.busy} title=${"Advance by " + name} onClick=${() => change.run({ advance })}>+${name}<//>`)}
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
      ${({ snapshots }) => html`<${Table} caption="Snapshots of this sandbox" columns=${["Name", "Virtual time", "Taken", "Actions"]} empty="None. A snapshot keeps the bank as it is now, to return to it or to see what has changed since.">
        ${snapshots.map(
          (s) => html`<tr key=${s.name}>
            <td>${s.name}</td>
            <td>${day(s.now)}</td>
            <td>${day(s.takenAt)}</td>
            <td>
              <div class="actions">
                <a href=${href("bank", sandbox, { since: s.name })}>Changes since</a>
                <${Sure} busy=${restore.busy} onClick=${() => restore.run(s.name)} question="Lose what has changed since?">Restore<span class="unseen"> ${s.name}</span><//>
                <${Sure} busy=${remove.busy} onClick=${() => remove.run(s.name)} question="Delete the snapshot?">Delete<span class="unseen"> ${s.name}</span><//>
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
