// The page Overview: what runs here, what it is asked, and how an app gets here.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { href } from "../route.js";
import { Button, Card, Copy, Facts, Loaded, Options, Place, Problem, Table, Tag, clock, day, length, micros, plural } from "../ui.js";

export function Overview({ sandbox, info, gone, simulator }) {
  return html`${simulator && html`<${Refused} scenario=${simulator.scenario} />`}
    <${Card} title="Requests of the last minute, of all sandboxes"><${Traffic} /><//>
    <div class="grid">
      <div>
        <${Point} sandbox=${sandbox} info=${info} gone=${gone} first=${simulator?.firstRequest} />
        ${!gone && html`<${Faults} sandbox=${sandbox} />`}
      </div>
      <${Simulator} of=${simulator} sandbox=${sandbox} />
    </div>`;
}

// Refused shows why the present content of the scenario's files is not in use.
function Refused({ scenario }) {
  if (scenario.problems.length === 0) return null;
  return html`<section class="problem" aria-labelledby="refused">
    <h2 id="refused">The scenario's files have changed and were refused</h2>
    <p>The version of ${day(scenario.loadedAt)} stays in use. Mend the files: the simulator loads them again by itself.</p>
    <ul>
      ${scenario.problems.map((p) => html`<li><${Place} of=${p} />${p.message}</li>`)}
    </ul>
  </section>`;
}

function Simulator({ of, sandbox }) {
  return html`<${Card} title="Simulator">
    <div class="about-simulator">
      ${of
        ? html`<${Facts}
            of=${[
              ["Scenario", html`${of.scenario.name} ${of.scenario.problems.length > 0 && html`<${Tag} kind="bad">files refused<//>`}`],
              ["File", of.scenario.file],
              ["Version", html`<code title=${of.scenario.version}>${of.scenario.version.slice(0, 8)}</code>`],
              ["Loaded", day(of.scenario.loadedAt)],
              ["Sandboxes", html`<a href=${href("sandboxes", sandbox)}>${plural(of.sandboxes, "sandbox", "sandboxes")}</a>`],
              ["Strict", of.strict ? "yes: answers that rest on nothing but a choice are refused" : "no"],
              ["banksim", `${of.version}, built with ${of.goVersion}`],
              ["Started", `${day(of.startedAt)}, ${length(Date.now() - Date.parse(of.startedAt))} ago`],
            ]}
          />`
        : html`<p class="quiet">Loading…</p>`}
    </div>
  <//>`;
}

const shownRules = 8;

// Faults shows the rules of the sandbox, those that fire first.
function Faults({ sandbox }) {
  const rules = useCall(at(sandbox, ["faults"]), { every: 2000 });
  return html`<${Card} title="Faults of this sandbox" actions=${html`<a href=${href("faults", sandbox)}>All rules</a>`}>
    <${Loaded} from=${rules}>
      ${({ faults }) => {
        const fired = faults.filter((f) => f.fired > 0).sort((a, b) => b.fired - a.fired);
        if (faults.length === 0) return html`<p class="quiet">No rules. <a href=${href("faults", sandbox)}>Add one</a> to see how an app copes.</p>`;
        if (fired.length === 0) return html`<p class="quiet">None of ${plural(faults.length, "rule")} has fired yet.</p>`;
        return html`<${Table} caption="Rules that have fired" columns=${["Rule", "Operation", { title: "Matched", number: true }, { title: "Fired", number: true }]}>
            ${fired.slice(0, shownRules).map((f) => html`<tr key=${f.name}><td>${f.name}</td><td>${f.operation}</td><td class="number">${f.matched}</td><td class="number">${f.fired}</td></tr>`)}
          <//>
          <p class="hint">${fired.length} of ${plural(faults.length, "rule")} ${fired.length === 1 ? "has" : "have"} fired${fired.length > shownRules && `; these are the ${shownRules} that fired most`}.</p>`;
      }}
    <//>
  <//>`;
}

// Point has what an app needs to use this sandbox.
function Point({ sandbox, info, gone, first }) {
  let lines = html`<p class="quiet">Loading…</p>`;
  if (gone) lines = html`<p>There is no sandbox “${sandbox}”. It may have been deleted. <a href=${href("sandboxes", "default")}>See all sandboxes</a>.</p>`;
  else if (info) lines = html`<${Lines} key=${sandbox} sandbox=${sandbox} info=${info} first=${first} />`;
  return html`<${Card} title="Point an app here"><div class="place-of-lines">${lines}</div><//>`;
}

function Lines({ sandbox, info, first }) {
  const users = useCall(at(sandbox, ["users"]));
  const [minted, setMinted] = useState("");
  const [chosen, choose] = useState("");
  const reset = info.lastReset?.at;
  const seen = useRef(reset);
  useEffect(() => {
    if (seen.current === reset) return;
    seen.current = reset;
    setMinted("");
    users.reload();
  }, [reset]);
  const client = users.data?.clients[0];
  const mint = useAction(async () => {
    setMinted((await call(at(sandbox, ["institutions", client.institutionId, "tokens"]), { body: { client: client.sharedKey } })).accessToken);
    return "Minted a token.";
  });
  const tokens = tokensOf(users.data);
  const token = minted || (tokens.some(([text]) => text === chosen) ? chosen : tokens[0]?.[0]);
  return html`<${Line} name="Base URL" text=${info.baseUrl} />
    ${token && html`<${Line} name="Token" text=${token}>${!minted && tokens.length > 1 && html`<select aria-label="Token" onChange=${(event) => choose(event.target.value)}><${Options} of=${tokens} value=${token} /></select>`}<//>`}
    ${first && html`<${Line} name="Example" text=${curl(info.baseUrl, first, token)} />`}
    ${users.data && !token && (client ? html`<p class="hint">The scenario gave no token that is valid now.</p><${Button} busy=${mint.busy} onClick=${mint.run}>Mint a token<//>` : html`<p class="hint">The bank has no client that could have a token: <a href=${href("scenario", sandbox)}>give it one</a>.</p>`)}
    <${Problem} error=${mint.error || users.error} />`;
}

// Line is a text to copy. The child, if there is one, shows it in its own way.
function Line({ name, text, children }) {
  return html`<div class="to-copy">
    <span>${name}</span>
    ${children || html`<code>${text}</code>`}
    <${Copy} text=${text} what=${name} />
  </div>`;
}

const shownTokens = 50;

// tokensOf returns the tokens that the scenario gave, those first that reach most users, and says whom each reaches.
function tokensOf(users) {
  const reaches = new Map();
  for (const user of users?.users || []) {
    for (const token of user.tokens) reaches.set(token, [...(reaches.get(token) || []), user.hostUserId]);
  }
  const all = [...reaches].sort(([, a], [, b]) => b.length - a.length).slice(0, shownTokens);
  return all.map(([token, of]) => [token, `${token}, for ${of.length === 1 ? "user " + of[0] : plural(of.length, "user")}`]);
}

// curl returns a command that any POSIX shell takes.
function curl(baseUrl, { method, path, headers }, token) {
  const all = Object.entries(headers);
  if (token) all.push(["Authorization", `Bearer ${token}`]);
  return ["curl", ...(method === "GET" ? [] : ["-X", method]), quote(baseUrl + path), ...all.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)].join(" ");
}

function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

// The live plots of the page Overview: requests by status, faults and latency of the last minute.

const seconds = 60;

// The classes of answers, from the bottom of a bar to its top. What is wrong has a pattern, so that it doesn't depend on
// colour.
const classes = ["2xx", "3xx", "4xx", "5xx", "lost"];
const lines = [
  ["p50Micros", "half", "p50"],
  ["p95Micros", "95 of 100", "p95"],
  ["maxMicros", "slowest", "max"],
];

export function Traffic() {
  const traffic = useCall(`v1/traffic?seconds=${seconds}`, { every: 1000 });
  return html`<div class="traffic"><${Loaded} from=${traffic}>${(data) => html`<${Plots} of=${data.seconds} />`}<//></div>`;
}

function Plots({ of }) {
  const total = (name) => of.reduce((sum, s) => sum + (s.byStatus[name] ?? s[name]), 0);
  const requests = total("requests");
  const faults = total("faults");
  const slowest = of.reduce((most, s) => Math.max(most, s.maxMicros), 0);
  const parts = classes.filter((c) => total(c) > 0).map((c) => `${total(c).toLocaleString("en")} ${c}`);
  const summary =
    requests === 0
      ? "No request in the last minute."
      : `${plural(requests, "request")} in the last minute: ${parts.join(", ")}. ${faults === 0 ? "No fault fired" : `Faults fired ${plural(faults, "time")}`}. The slowest took ${micros(slowest)}.`;
  const rows = of.filter((s) => s.requests > 0).reverse();
  return html`<p class="summary">${summary}</p>
    <div class="plots">
      <figure>
        <figcaption><span>Requests per second</span><span class="legend">${classes.map((c) => html`<span><i class=${"swatch c-" + c} aria-hidden="true"></i>${c}</span>`)}<span><i class="swatch fault" aria-hidden="true"></i>fault fired</span></span></figcaption>
        <${Bars} of=${of} />
      </figure>
      <figure>
        <figcaption><span>Latency, logarithmic</span><span class="legend">${lines.map(([, name, key]) => html`<span><i class=${"swatch line-" + key} aria-hidden="true"></i>${name}</span>`)}</span></figcaption>
        <${Latency} of=${of} />
      </figure>
    </div>
    <details>
      <summary>The same as a table</summary>
      <${Table}
        caption="Requests of the last minute by the second, the newest first"
        empty="No request in the last minute."
        columns=${["Second, UTC", ...["Requests", ...classes, "Faults", "p50", "p95", "Slowest"].map((title) => ({ title, number: true }))]}
      >
        ${rows.map((s) => html`<tr key=${s.at}><td>${clock(s.at)}</td>${[s.requests, ...classes.map((c) => s.byStatus[c]), s.faults, ...lines.map(([key]) => micros(s[key]))].map((n) => html`<td class="number">${n}</td>`)}</tr>`)}
      <//>
    </details>`;
}

const height = 100;

// Plot is the frame of a plot: its labels of the values, from the top down, and of the time.
function Plot({ name, labels, children }) {
  return html`<div class="plot">
    <div class="scale" aria-hidden="true">${labels.map((text) => html`<span>${text}</span>`)}</div>
    <svg viewBox=${`0 0 ${seconds * 10} ${height}`} preserveAspectRatio="none" role="img" aria-label=${name}>${children}</svg>
    <div class="times" aria-hidden="true"><span>1 min ago</span><span>now</span></div>
  </div>`;
}

// Bars are the requests of each second, one class upon the other, with a mark below where faults fired.
function Bars({ of }) {
  const most = round(Math.max(1, ...of.map((s) => s.requests)));
  const room = height - 8;
  return html`<${Plot} name="Requests per second, by the status of the answer. The table below has the numbers." labels=${[most.toLocaleString("en"), (most / 2).toLocaleString("en"), "0"]}>
    <defs>
      <pattern id="hatched" width="4" height="4" patternUnits="userSpaceOnUse"><path d="M0 4 4 0" /></pattern>
    </defs>
    <path class="grid-line" d=${`M0 ${room / 2}H600M0 ${room}H600`} />
    ${of.map((s, i) => {
      let y = room;
      return html`<g key=${s.at}>
        <title>${clock(s.at)}: ${plural(s.requests, "request")}${s.faults > 0 ? `, faults fired ${plural(s.faults, "time")}` : ""}</title>
        <rect class="hit" x=${i * 10} y="0" width="10" height=${height} />
        ${classes
          .filter((c) => s.byStatus[c] > 0)
          .map((c) => {
            const h = (s.byStatus[c] / most) * room;
            y -= h;
            return html`<rect class=${"c-" + c} x=${i * 10 + 1} y=${y} width="8" height=${h} />${(c === "4xx" || c === "lost") && html`<rect fill="url(#hatched)" x=${i * 10 + 1} y=${y} width="8" height=${h} />`}`;
          })}
        ${s.faults > 0 && html`<rect class="fault" x=${i * 10 + 1} y=${room + 3} width="8" height="5" />`}
      </g>`;
    })}
  <//>`;
}

// round returns the smallest of 2, 4, 10, 20, 40, 100, … that isn't below n.
function round(n) {
  for (let unit = 1; ; unit *= 10) {
    for (const of of [2, 4, 10]) if (of * unit >= n) return of * unit;
  }
}

// Latency are lines over the seconds that had a request.
function Latency({ of }) {
  const busy = of.filter((s) => s.requests > 0);
  const least = Math.floor(Math.log10(Math.max(1, Math.min(100, ...busy.map((s) => s.p50Micros)))));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(1000, ...busy.map((s) => s.maxMicros)))));
  const y = (n) => height - 2 - ((Math.log10(Math.max(n, 1)) - least) / (most - least)) * (height - 4);
  const decades = Array.from({ length: most - least + 1 }, (_, i) => 10 ** (most - i));
  const every = Math.ceil(decades.length / 5); // labels that don't touch
  return html`<${Plot} name="Latency of each second. The table below has the numbers." labels=${decades.map((n, i) => (i % every === 0 ? short(n) : ""))}>
    <path class="grid-line" d=${decades.map((n) => `M0 ${y(n)}H600`).join("")} />
    ${lines.map(([key, , name]) => html`<path class=${"line line-" + name} d=${path(of, (s) => y(s[key]))} />`)}
  <//>`;
}

// short returns a power of ten of microseconds.
const short = (n) => (n < 1000 ? `${n} µs` : n < 1e6 ? `${n / 1000} ms` : `${n / 1e6} s`);

// path returns a line through the seconds with a request. It is broken where there was none; a second alone is a dot.
function path(of, y) {
  let text = "";
  let pen = false;
  of.forEach((s, i) => {
    const at = `${i * 10 + 5} ${y(s).toFixed(1)}`;
    if (s.requests > 0) text += pen ? `L${at}` : `M${at}h.01`;
    pen = s.requests > 0;
  });
  return text;
}
