// The page Overview: what runs here, what it is asked, and how an app gets here.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { href } from "../route.js";
import { Button, Card, Copy, Facts, Loaded, Options, Place, Problem, Table, Tag, day, length, plural } from "../ui.js";
import { subject } from "./fault-rule.js";

export function Overview({ sandbox, info, gone, simulator }) {
  return html`${simulator && html`<${Refused} scenario=${simulator.scenario} />`}
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
              ["Banks", of.kept],
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
        if (faults.length === 0) return html`<p class="quiet">No rules. <a
          href=${href("faults", sandbox)}>Add one</a> to see how an app copes.</p>`;
        if (fired.length === 0) return html`<p class="quiet">None of ${plural(faults.length, "rule")} has fired yet.</p>`;
        return html`<${Table} caption="Rules that have fired"
          columns=${["Rule", "Operation", { title: "Matched", number: true }, { title: "Fired", number: true }]}>
            ${fired.slice(0, shownRules).map((f) => html`<tr key=${f.name}><td>${f.name}</td><td>${subject(f)}</td><td
              class="number">${f.matched}</td><td class="number">${f.fired}</td></tr>`)}
          <//>
          <p class="hint">${fired.length} of ${plural(faults.length, "rule")} ${fired.length === 1 ? "has"
            : "have"} fired${fired.length > shownRules && `; these are the ${shownRules} that fired most`}.</p>`;
      }}
    <//>
  <//>`;
}

// Point has what an app needs to use this sandbox.
function Point({ sandbox, info, gone, first }) {
  let lines = html`<p class="quiet">Loading…</p>`;
  if (gone) lines = html`<p>There is no sandbox “${sandbox}”. It may have been deleted. <a
    href=${href("sandboxes", "default")}>See all sandboxes</a>.</p>`;
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
    setMinted((await call(at(sandbox, ["institutions", client.institutionId, "tokens"]),
      { body: { client: client.sharedKey } })).accessToken);
    return "Minted a token.";
  });
  const tokens = tokensOf(users.data);
  const token = minted || (tokens.some(([text]) => text === chosen) ? chosen : tokens[0]?.[0]);
  return html`<${Line} name="Base URL" text=${info.baseUrl} />
    ${token && html`<${Line} name="Token" text=${token}>${!minted && tokens.length > 1 && html`<select aria-label="Token"
      onChange=${(event) => choose(event.target.value)}><${Options} of=${tokens} value=${token} /></select>`}<//>`}
    ${first && html`<${Line} name="Example" text=${curl(info.baseUrl, first, token)} />`}
    ${users.data && !token && (client ? html`<p class="hint">The scenario gave no token that is valid now.</p><${Button} busy=${mint.busy}
      onClick=${mint.run}>Mint a token<//>` : html`<p class="hint">The bank has no client that could have a token: <a
      href=${href("scenario", sandbox)}>give it one</a>.</p>`)}
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
  return ["curl", ...(method === "GET" ? [] : ["-X", method]), quote(baseUrl + path),
    ...all.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)].join(" ");
}

function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
