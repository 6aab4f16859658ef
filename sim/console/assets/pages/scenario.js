// The page Scenario: what a sandbox starts from.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { at, call, save } from "../api.js";
import { useAction, useCall, say } from "../hooks.js";
import { change, href } from "../route.js";
import { Button, Card, Code, Copy, Field, Loaded, Place, Problem, Sure, Table, Tabs, Tag, plural } from "../ui.js";

const views = { edit: "Edit", resolved: "Resolved", catalogue: "Catalogue" };

// drafts are the edits that were not applied yet, by sandbox. They outlive a look at another page.
const drafts = new Map();

export function Scenario({ sandbox, params, info, simulator, reload }) {
  const view = views[params.view] ? params.view : "edit";
  return html`
    <${Tabs} label="Parts of the scenario" value=${view}
      of=${Object.keys(views).map((key) => [key, views[key], href("scenario", sandbox, { view: key === "edit" ? "" : key })])} />
    ${view === "edit" && html`<${Edit} sandbox=${sandbox} info=${info} simulator=${simulator} reload=${reload} />`}
    ${view === "resolved" && html`<${Resolved} sandbox=${sandbox} info=${info} />`}
    ${view === "catalogue" && html`<${Catalogue} sandbox=${sandbox} chosen=${params.show} text=${params.text || ""} />`}
  `;
}

function Edit({ sandbox, info, simulator, reload }) {
  const source = useCall(at(sandbox, ["scenario"]));
  const [, draw] = useState(0);
  useEffect(() => source.reload(), [info.lastReset?.at]);
  const draft = drafts.get(sandbox);
  const text = draft ?? source.data;
  const dirty = draft !== undefined && source.data !== null && draft !== source.data;
  const set = (text) => {
    if (text === undefined) drafts.delete(sandbox);
    else drafts.set(sandbox, text);
    draw((n) => n + 1);
  };
  // Before anything else can happen: who leaves at once is told, too.
  useLayoutEffect(() => {
    if (!dirty) return undefined;
    const warn = (event) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => {
      removeEventListener("beforeunload", warn);
      if (drafts.has(sandbox) && !location.hash.startsWith(href("scenario",
        sandbox))) say("Your edits of the scenario are kept in this tab. They are not applied.");
    };
  }, [dirty]);
  const apply = useAction(async () => {
    await call(at(sandbox, ["scenario"]), { method: "PUT", body: text, type: "application/yaml" });
    source.reload();
    reload();
    return `The scenario was applied: sandbox ${sandbox} starts from it now.`;
  });
  const [checked, setChecked] = useState(null); // {text, answer, error}
  useEffect(() => {
    if (text === null) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      try {
        setChecked({ text, answer: await call("v1/scenarios/validate", { body: text, type: "application/yaml", signal: abort.signal }) });
      } catch (error) {
        if (!abort.signal.aborted) setChecked({ text, error });
      }
    }, 300);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  if (text === null) return html`<${Loaded} from=${source}>${() => null}<//>`;
  const answer = checked?.answer;
  const problems = answer?.problems || [];
  const follows = simulator && simulator.scenario.name === info.scenario;
  return html`<${Card} title="The scenario of this sandbox" actions=${html`
      <${Button} onClick=${() => save(info.scenario + ".yaml", text, "application/yaml")}>Download<//>
      <${Copy} text=${text} what="the scenario" />
      ${dirty && html`<${Sure} onClick=${() => set(undefined)} question="Discard the edits?">Discard edits<//>`}
      <${Sure} busy=${apply.busy} onClick=${apply.run} question="Apply, and reset the sandbox?">Apply<//>
    `}>
    <p class="hint">Applying it resets the sandbox: bank, faults,
      journal and clock begin again.${follows
        ? ` The sandbox then has a scenario of its own, and no longer follows the file ${simulator.scenario.file} ` +
          "if the simulator watches that."
        : ""}</p>
    ${dirty && html`<p class="note">You have edits that are not applied.</p>`}
    <${Problem} error=${source.error} />
    <${Problem} error=${apply.error} />
    <${Editor} text=${text} onInput=${set} problems=${problems} warnings=${answer?.warnings || []}>
      <div role="status">${checked?.text !== text ? html`<p class="quiet">Checking…</p>` : html`<${Verdict} answer=${answer} />`}</div>
      <${Problem} error=${checked?.error} />
    <//>
  <//>`;
}

// Verdict says what a scenario makes, or how many problems it has.
function Verdict({ answer }) {
  if (!answer) return null;
  if (!answer.valid) return html`<p><${Tag} kind="bad">${plural(answer.problems.length, "problem")}<//> Each leads to its line.</p>`;
  const { name, description, ...counts } = answer.summary;
  const words = (what, n) => what.replace(/[A-Z]/g, (c) => " " + c.toLowerCase()).replace(/s$/, n === 1 ? "" : "s");
  const parts = Object.entries(counts).map(([what, n]) => `${n.toLocaleString("en")} ${words(what, n)}`);
  return html`<p><${Tag} kind="ok">valid<//> <strong>${name}</strong> makes ${parts.join(", ")}.</p>
    ${answer.warnings.length > 0 && html`<p><${Tag} kind="warn">${plural(answer.warnings.length, "warning")}<//> about what is valid
      and probably a mistake.</p>`}`;
}

// resolvedLines is how many lines of a resolved scenario are shown.
const resolvedLines = 2000;

function Resolved({ sandbox, info }) {
  const from = useCall(at(sandbox, ["scenario"], { resolved: true }));
  useEffect(() => from.reload(), [info.lastReset?.at]);
  return html`<${Card} title="Resolved" actions=${from.data && html`<${Copy} text=${from.data} what="the resolved scenario" />`}>
    <p class="hint">The scenario with all that it extends, and the file and line that each value comes from.</p>
    <${Loaded} from=${from}>
      ${(yaml) => {
        const lines = yaml.replace(/\n$/, "").split("\n").map((line) => line.match(/^(.*?)(?: # (.+:\d+|default))?$/));
        const shown = lines.slice(0, resolvedLines);
        return html`${lines.length > shown.length && html`<p
          class="note">${shown.length} of ${plural(lines.length, "line")} are shown. Copy has all.</p>`}
          <div class="resolved scroll" tabindex="0" role="region" aria-label="The resolved scenario, with origins">
            <pre class="quiet" aria-hidden="true">${shown.map((_, i) => i + 1).join("\n")}</pre>
            <pre class="origin"><span class="unseen">Origins: </span>${shown.map((line) => line[2] || "").join("\n")}</pre>
            <pre>${shown.map((line) => line[1]).join("\n")}</pre>
          </div>`;
      }}
    <//>
  <//>`;
}

function Catalogue({ sandbox, chosen, text }) {
  const list = useCall("v1/scenarios");
  const lower = text.toLowerCase();
  return html`<${Card} title="Catalogue">
      <${Loaded} from=${list}>
        ${({ scenarios }) => html`
          <div class="row"><${Field} label="Filter" type="search" value=${text}
            onInput=${(text) => change({ text }, { replace: true })} /></div>
          <${Table} caption="Built-in scenarios" columns=${["Scenario", "What it is"]} empty="No scenario matches.">
            ${scenarios
              .filter((s) => (s.name + " " + s.description).toLowerCase().includes(lower))
              .map((s) => html`<tr key=${s.name} class=${s.name === chosen ? "chosen" : ""}
                aria-current=${s.name === chosen ? "true" : undefined}><td class="nowrap"><a
                href=${href("scenario", sandbox, { view: "catalogue", show: s.name,
                text })}>${s.name}</a></td><td>${s.description}</td></tr>`)}
          <//>
        `}
      <//>
    <//>
    ${chosen && html`<${BuiltIn} key=${chosen} sandbox=${sandbox} name=${chosen}
      yaml=${list.data?.scenarios.find((s) => s.name === chosen)?.yaml} />`}`;
}

function BuiltIn({ sandbox, name, yaml }) {
  const use = () => {
    drafts.set(sandbox, yaml);
    change({ view: "", show: "", text: "" });
    say(`The editor has ${name}. Nothing is applied yet.`);
  };
  return html`<${Card} title=${"Scenario " + name} actions=${html`${drafts.has(sandbox) ? html`<${Sure} onClick=${use}
    question="Replace your edits?">Use as a start<//>` : html`<${Button} disabled=${!yaml} onClick=${use}>Use as a start<//>`}`}>
    <p><a class="button" href=${href("sandboxes", sandbox, { new: 1, scenario: name })}>New sandbox from it</a></p>
    ${yaml && html`<${Code} label=${"scenario " + name} text=${yaml} />`}
  <//>`;
}

// lineHeight is that of .editor in console.css, in em.
const lineHeight = 1.45;

// ours is how problems name the text that is edited.
const ours = "scenario.yaml";

// Editor is a text area with the numbers of its lines, and the lines that have problems marked. Warnings are listed only.
function Editor({ text, onInput, problems, warnings, children }) {
  const area = useRef(null);
  const gutter = useRef(null);
  const bands = useRef(null);
  const [current, setCurrent] = useState(0);
  const listed = [...problems, ...warnings];
  const isHere = (p) => p.line && (!p.file || p.file === ours);
  const lines = [...new Set(problems.filter(isHere).map((p) => p.line))].sort((a, b) => a - b);
  const count = text.split("\n").length;

  const sync = () => {
    gutter.current.scrollTop = area.current.scrollTop;
    bands.current.style.transform = `translateY(${-area.current.scrollTop}px)`;
  };
  // jump puts the cursor where a problem is.
  const jump = ({ line, column }) => {
    const before = text.split("\n", line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    const end = text.indexOf("\n", before);
    const at = Math.min(before + Math.max((column || 1) - 1, 0), end < 0 ? text.length : end);
    area.current.focus();
    area.current.setSelectionRange(at, at);
    area.current.scrollTop = (line - 5) * parseFloat(getComputedStyle(area.current).lineHeight);
    area.current.scrollLeft = 0;
    setCurrent(line);
    sync();
  };
  return html`
    ${children}
    ${listed.length > 0 && html`<ol class=${problems.length ? "editor-problems" : "editor-problems warnings"} id="editor-problems">
      ${listed.slice(0, 100).map((p) => html`<li>${isHere(p) ? html`<button type="button" class="link"
        onClick=${() => jump(p)}>Line ${p.line}: ${p.message}</button>` : html`<${Place} of=${p} />${p.message}`}</li>`)}
      ${listed.length > 100 && html`<li>and ${listed.length - 100} more</li>`}
    </ol>`}
    <div class="editor">
      <pre class="gutter" ref=${gutter} aria-hidden="true">${numbers(count, lines)}</pre>
      <div class="editor-text">
        <div class="bands" ref=${bands} aria-hidden="true">${lines.map((line) => html`<div key=${line}
          class=${line === current ? "band current" : "band"} style=${{ top: `${(line - 1) * lineHeight}em` }}></div>`)}</div>
        <textarea
          ref=${area}
          aria-label="Scenario YAML"
          aria-invalid=${problems.length > 0 ? "true" : undefined}
          aria-describedby=${listed.length > 0 ? "editor-problems" : undefined}
          spellcheck="false"
          autocapitalize="off"
          wrap="off"
          value=${text}
          onInput=${(event) => onInput(event.target.value)}
          onScroll=${sync}
        ></textarea>
      </div>
    </div>
  `;
}

// numbers are the numbers of lines. Those with problems have a mark, which doesn't need colours.
function numbers(count, marked) {
  const parts = [];
  let from = 1;
  const until = (to) => {
    if (from < to) parts.push(Array.from({ length: to - from }, (_, i) => from + i).join("\n") + "\n");
    from = to;
  };
  for (const line of marked) {
    if (line > count) break;
    until(line);
    parts.push(html`<mark key=${line}>${"✗ " + line}</mark>`, "\n");
    from = line + 1;
  }
  until(count + 1);
  return parts;
}
