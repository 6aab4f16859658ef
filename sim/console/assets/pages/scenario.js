// The page Scenario: what a sandbox starts from.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { at, call, save } from "../api.js";
import { useAction, useCall, say } from "../hooks.js";
import { change, href } from "../route.js";
import { Button, Card, Code, Copy, Field, Loaded, Problem, Sure, Table, Tabs, Tag, plural } from "../ui.js";

const views = { edit: "Edit", resolved: "Resolved", catalogue: "Catalogue" };

// drafts are the edits that were not applied yet, by sandbox. They outlive a look at another page.
const drafts = new Map();

export function Scenario({ sandbox, params, info, simulator, reload }) {
  const view = views[params.view] ? params.view : "edit";
  const source = useCall(at(sandbox, ["scenario"]));
  const resolved = useCall(at(sandbox, ["scenario"], { resolved: true }));
  const list = useCall("v1/scenarios");
  useEffect(() => {
    source.reload();
    resolved.reload();
  }, [info.lastReset?.at]);
  const lines = resolved.data?.replace(/\n$/, "").split("\n").map((line) => line.match(/^(.*?)(?: # ([^"#]+:\d+|default))?$/).slice(1));
  return html`
    <${Tabs} label="Parts of the scenario" value=${view}
      of=${Object.keys(views).map((key) => [key, views[key], href("scenario", sandbox, { view: key === "edit" ? "" : key })])} />
    ${view === "resolved" && html`<${Resolved} from=${resolved} lines=${lines} />`}
    ${view !== "resolved" && html`<${Loaded} from=${list}>${({ scenarios }) => {
      if (view === "catalogue") return html`<${Catalogue} sandbox=${sandbox} all=${scenarios} chosen=${params.show} text=${params.text} />`;
      return html`<${Loaded} from=${source}>${(yaml) => {
        const files = filesOf(yaml, scenarios.map((s) => s.name));
        const edit = (start) => html`<${Edit} sandbox=${sandbox} start=${start} files=${files} info=${info} simulator=${simulator}
          applied=${() => {
            source.reload();
            resolved.reload();
            reload();
          }} />`;
        return files.length === 0 ? edit(yaml)
          : html`<${Loaded} from=${resolved}>${() => edit(lines.map(([text]) => text + "\n").join(""))}<//>`;
      }}<//>`;
    }}<//>`}`;
}

// filesOf returns the files that a scenario extends. Only the server can read them.
function filesOf(yaml, builtIn) {
  const [, names = ""] = yaml.match(/^extends:(.*(?:\n[ \t]*-.*)*)/m) || [];
  return names.replace(/(^|\s)#.*/g, "").split(/[\s,[\]"']+/).filter((name) => name && name !== "-" && !builtIn.includes(name));
}

// Edit changes the scenario, beginning with start.
function Edit({ sandbox, start, files, info, simulator, applied }) {
  const [, draw] = useState(0);
  const draft = drafts.get(sandbox);
  const text = draft ?? start;
  const dirty = text !== start;
  const set = (text) => {
    if (text === start) drafts.delete(sandbox);
    else drafts.set(sandbox, text);
    draw((n) => n + 1);
  };
  useEffect(() => draft === start && set(start), [start]); // it was applied
  useLayoutEffect(() => { // not later, because people may leave at once
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
    applied();
    return `The scenario was applied: sandbox ${sandbox} starts from it now.`;
  });
  const [checked, check] = useState({}); // {text, answer, error}
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => call("v1/scenarios/validate", { body: text, type: "application/yaml", signal: abort.signal })
      .then((answer) => check({ text, answer }), (error) => abort.signal.aborted || check({ text, error })), 300);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  const { answer, error } = checked;
  const [jump, setJump] = useState(null);
  const follows = simulator && simulator.scenario.name === info.scenario;
  return html`<${Card} title="The scenario of this sandbox" actions=${html`
      <${Button} onClick=${() => save(info.scenario + ".yaml", text, "application/yaml")}>Download<//>
      <${Copy} text=${text} what="the scenario" />
      ${dirty && html`<${Sure} onClick=${() => set(start)} question="Discard the edits?">Discard edits<//>`}
      ${answer?.valid === false ? html`<${Button} disabled>Apply<//>`
        : html`<${Sure} busy=${apply.busy} onClick=${apply.run} question="Apply, and reset the sandbox?">Apply<//>`}`}>
    ${files.length > 0 && html`<p class="note">This scenario extends ${files.join(", ")}. You see the merged text; what you apply
      replaces it for this sandbox.</p>`}
    <p class="hint">Applying it resets the sandbox: bank, faults, journal and clock begin again. ${follows &&
      `The sandbox then has a scenario of its own, and no longer follows the file ${simulator.scenario.file}. `}In the editor, Tab indents.
      Esc, then Tab leaves it.</p>
    ${dirty && html`<p class="note">You have edits that are not applied.</p>`}
    <${Problem} error=${apply.error || error} />
    <div role="status">${checked.text !== text ? html`<p class="quiet">Checking…</p>` : html`<${Verdict} answer=${answer} />`}</div>
    <${Editor} text=${text} start=${dirty ? null : start} onInput=${set} answer=${answer} jump=${jump} />
    ${answer && html`<${Listed} of=${answer.problems} kind="bad" jump=${setJump} /><${Listed} of=${answer.warnings} kind="warn"
      jump=${setJump} />`}
  <//>`;
}

// Verdict says what a scenario makes, or how many problems it has.
function Verdict({ answer }) {
  if (!answer) return null;
  if (!answer.valid) return html`<p><${Tag} kind="bad">${plural(answer.problems.length, "problem")}<//> Each leads to its line.</p>`;
  const { name, description, ...counts } = answer.summary;
  const parts = Object.entries(counts).map(([what, n]) => plural(n, what.replace(/[A-Z]/g, (c) => " " + c.toLowerCase()).slice(0, -1)));
  return html`<p><${Tag} kind="ok">valid<//> <strong>${name}</strong> makes ${parts.join(", ")}.
    ${answer.warnings.length > 0 && html` <${Tag} kind="warn">${plural(answer.warnings.length, "warning")}<//> below.`}</p>`;
}

// isHere reports whether a problem is in the text that is edited.
const isHere = (p) => p.line && (!p.file || p.file === "scenario.yaml");

// Listed lists problems or warnings. Each leads to its line.
function Listed({ of, kind, jump }) {
  return of.length > 0 && html`<ul class=${`listed ${kind}`}>${of.slice(0, 100).map((p) => html`<li>${isHere(p)
    ? html`<button type="button" class="link" onClick=${() => jump({ ...p })}>Line ${p.line}: ${p.message}</button>`
    : p.message}</li>`)}${of.length > 100 && html`<li>and ${of.length - 100} more</li>`}</ul>`;
}

// Editor is CodeMirror with marks at the lines that have problems or warnings. It begins with text. start, unless it is null, is what it
// returns to. jump is a problem to show; each is a new object.
function Editor({ text, start, onInput, answer, jump }) {
  const host = useRef(null);
  const view = useRef(null);
  const input = useRef(null);
  input.current = onInput;
  const [cm, set] = useState({});
  useEffect(() => {
    import("../vendor/codemirror.js").then(set, () => set({ error: new Error("The editor can't be loaded. Reload the console.") }));
  }, []);
  useEffect(() => {
    if (!cm.EditorView) return undefined;
    const root = host.current.attachShadow({ mode: "open" }); // only there, CodeMirror has styles that the page's policy allows
    view.current = new cm.EditorView({ doc: text, root, parent: root, extensions: extensions(cm, (text) => input.current(text)) });
    return () => view.current.destroy();
  }, [cm]);
  useEffect(() => {
    const doc = view.current?.state.doc;
    if (doc && start !== null && doc.toString() !== start) view.current.dispatch({ changes: { from: 0, to: doc.length, insert: start } });
  }, [start]);
  const positionOf = ({ line, column = 1 }) => {
    const { doc } = view.current.state;
    const of = doc.line(Math.min(line, doc.lines));
    return { from: Math.min(of.from + Math.max(column - 1, 0), of.to), to: of.to };
  };
  useEffect(() => {
    if (!view.current || !answer) return;
    const marks = (of, severity) => of.filter(isHere).map((p) => ({ ...positionOf(p), severity, message: p.message }));
    const all = [...marks(answer.problems, "error"), ...marks(answer.warnings, "warning")].sort((a, b) => a.from - b.from);
    view.current.dispatch(cm.setDiagnostics(view.current.state, all));
  }, [cm, answer]);
  useEffect(() => {
    if (!view.current || !jump) return;
    const { from } = positionOf(jump);
    view.current.dispatch({ selection: { anchor: from }, effects: cm.EditorView.scrollIntoView(from, { y: "center" }) });
    view.current.focus();
  }, [jump]);
  return html`<${Problem} error=${cm.error} /><div class="editor" ref=${host}></div>`;
}

// extensions make the editor of CodeMirror what it is here. Its colours are those of the page, which follow the system.
function extensions(cm, changed) {
  const { EditorView, HighlightStyle, tags } = cm;
  const colours = HighlightStyle.define([{ tag: tags.definition(tags.propertyName), color: "var(--accent)" },
    { tag: tags.comment, color: "var(--soft)" }, { tag: tags.string, color: "var(--ok)" }, { tag: tags.keyword, color: "var(--lost)" }]);
  const surface = { backgroundColor: "var(--surface)", color: "var(--ink)" };
  const sunk = { backgroundColor: "var(--sunk)", color: "var(--soft)" };
  const theme = EditorView.theme({
    "&": { ...surface, height: "min(60vh, 40rem)", fontSize: ".87rem" },
    ".cm-scroller": { fontFamily: "var(--mono)" },
    ".cm-gutters": { ...sunk, borderColor: "var(--line)" },
    ".cm-activeLine": { backgroundColor: "transparent", boxShadow: "inset 2px 0 var(--accent)" },
    ".cm-cursor": { borderLeftColor: "var(--ink)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--accent-soft)" },
    ".cm-panels": sunk,
    ".cm-textfield, .cm-button": { ...surface, backgroundImage: "none", border: "1px solid var(--strong-line)" },
    ".cm-searchMatch": { backgroundColor: "var(--warn-soft)" },
    ".cm-tooltip": { ...surface, border: "1px solid var(--line)" },
  });
  return [cm.lineNumbers(), cm.history(), cm.drawSelection(), cm.highlightActiveLine(), cm.search(), cm.lintGutter(), cm.yaml(),
    cm.syntaxHighlighting(colours), theme, EditorView.contentAttributes.of({ "aria-label": "Scenario YAML", tabindex: "0" }),
    cm.keymap.of([...cm.defaultKeymap, ...cm.historyKeymap, ...cm.searchKeymap, cm.indentWithTab]),
    EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString()))];
}

const resolvedLines = 2000; // of a resolved scenario are shown

function Resolved({ from, lines }) {
  return html`<${Card} title="Resolved" actions=${from.data && html`<${Copy} text=${from.data} what="the resolved scenario" />`}>
    <p class="hint">The scenario with all that it extends, and the file and line that each value comes from.</p>
    <${Loaded} from=${from}>${() => {
      const shown = lines.slice(0, resolvedLines);
      return html`${lines.length > shown.length && html`<p
          class="note">${shown.length} of ${plural(lines.length, "line")} are shown. Copy has all.</p>`}
        <div class="resolved scroll" tabindex="0" role="region" aria-label="The resolved scenario, with origins">
          <pre class="quiet" aria-hidden="true">${shown.map((_, i) => i + 1).join("\n")}</pre>
          <pre class="origin"><span class="unseen">Origins: </span>${shown.map(([, origin]) => origin || "").join("\n")}</pre>
          <pre>${shown.map(([text]) => text).join("\n")}</pre>
        </div>`;
    }}<//>
  <//>`;
}

function Catalogue({ sandbox, all, chosen, text = "" }) {
  const built = all.find((s) => s.name === chosen);
  const use = () => {
    drafts.set(sandbox, built.yaml);
    change({ view: "", show: "", text: "" });
    say(`The editor has ${chosen}. Nothing is applied yet.`);
  };
  return html`<${Card} title="Catalogue">
      <${Field} label="Filter" type="search" value=${text} onInput=${(text) => change({ text }, { replace: true })} />
      <${Table} caption="Built-in scenarios" columns=${["Scenario", "What it is"]} empty="No scenario matches.">
        ${all.filter((s) => (s.name + " " + s.description).toLowerCase().includes(text.toLowerCase())).map((s) => html`<tr key=${s.name}
          class=${s === built ? "chosen" : ""} aria-current=${s === built ? "true" : undefined}>
          <td class="nowrap"><a href=${href("scenario", sandbox, { view: "catalogue", show: s.name, text })}>${s.name}</a></td>
          <td>${s.description}</td></tr>`)}
      <//>
    <//>
    ${built && html`<${Card} title=${"Scenario " + chosen} actions=${html`<a class="button"
      href=${href("sandboxes", sandbox, { new: 1, scenario: chosen })}>New sandbox from it</a> ${drafts.has(sandbox) ? html`<${Sure}
      onClick=${use} question="Replace your edits?">Use as a start<//>` : html`<${Button} onClick=${use}>Use as a start<//>`}`}>
      <${Code} label=${"scenario " + chosen} text=${built.yaml} />
    <//>`}`;
}
