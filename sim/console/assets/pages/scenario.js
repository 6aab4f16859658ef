// The page Scenario: what a sandbox starts from.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { at, call, save } from "../api.js";
import { useAction, useCall, say } from "../hooks.js";
import { change, href } from "../route.js";
import { Button, Card, Code, Copy, Loaded, Problem, Row, Sure, Table, Tabs, Tag, plural } from "../ui.js";
import { Capture } from "./capture.js";
import { completion } from "./complete.js";

const views = { edit: "Edit", resolved: "Resolved", catalogue: "Catalogue" };

// drafts are the edits that were not applied yet, by sandbox. They outlive a look at another page.
const drafts = new Map();

export function Scenario({ sandbox, params, info, simulator, reload }) {
  const view = views[params.view] ? params.view : "edit";
  const source = useCall(at(sandbox, ["scenario"]));
  const resolved = useCall(at(sandbox, ["scenario"], { resolved: true }));
  const list = useCall("v1/scenarios");
  const tabs = Object.keys(views).map((key) => [key, views[key], href("scenario", sandbox, { view: key })]);
  const builtIn = list.data?.scenarios.map((s) => s.name);
  const files = builtIn && source.data !== null ? filesOf(source.data, builtIn) : null;
  const extendsFiles = files?.length > 0;
  const merged = useCall(extendsFiles ? at(sandbox, ["scenario"], { resolved: true, origins: false }) : null);
  const load = () => [source, resolved, merged].forEach((text) => text.reload());
  useEffect(load, [info.lastReset?.at]);
  const applied = () => {
    load();
    reload();
  };
  const edit = (yaml) => files && html`<${Edit} sandbox=${sandbox} start=${yaml} files=${files} info=${info}
    simulator=${simulator} applied=${applied} />`;
  const show = {
    edit: () => html`<${Loaded} from=${extendsFiles ? merged : source}>${edit}<//>`,
    resolved: () => html`<${Resolved} from=${resolved} />`,
    catalogue: () => html`<${Catalogue} sandbox=${sandbox} from=${list} chosen=${params.show} />`,
  };
  return html`<${Tabs} label="Parts of the scenario" value=${view} of=${tabs} />${show[view]()}`;
}

// filesOf returns the files that a scenario extends. Only the server can read them.
function filesOf(yaml, builtIn) {
  const [, names = ""] = yaml.match(/^extends:(.*(?:\n[ \t]*-.*)*)/m) || [];
  const all = names.replace(/(^|\s)#.*/g, "").split(/[\s,[\]"']+/);
  return all.filter((name) => name && name !== "-" && !builtIn.includes(name));
}

// Edit changes the scenario, beginning with start.
function Edit({ sandbox, start, files, info, simulator, applied }) {
  const { text, dirty, set } = useDraft(sandbox, start);
  const apply = useAction(async () => {
    await call(at(sandbox, ["scenario"]), { method: "PUT", body: text, type: "application/yaml" });
    applied();
    return `The scenario was applied: sandbox ${sandbox} starts from it now.`;
  });
  const followed = simulator?.scenario.file.replace(/.*[\\/]/, "");
  const follow = useAction(async () => {
    await call(at(sandbox, ["scenario"]), { method: "DELETE" });
    drafts.delete(sandbox);
    applied();
    return `Sandbox ${sandbox} follows ${followed} again.`;
  });
  const checked = useValidation(text);
  const { answer, error } = checked;
  const [jump, setJump] = useState(null);
  const [inferred, setInferred] = useState(null);
  const applies = answer?.valid === false ? html`<${Button} kind="main" disabled>Apply<//>`
    : html`<${Sure} kind="main" busy=${apply.busy} onClick=${apply.run} question=${info.followsScenario && followed
      ? `Apply, reset, and follow ${followed} no more?` : "Apply, and reset the sandbox?"}>Apply<//>`;
  const discard = dirty ? html`<${Sure} onClick=${() => set(start)} question="Discard the edits?">Discard edits<//>`
    : html`<${Button} disabled>Discard edits<//>`;
  const actions = html`<${Button} onClick=${() => save(info.scenario + ".yaml", text, "application/yaml")}>Download<//>
    <${Copy} text=${text} what="the scenario" /> ${discard} ${applies}`;
  const note = files.length > 0 && html`<p class="note">This scenario extends ${files.join(", ")}. You see the merged
    text; what you apply replaces it for this sandbox.</p>`;
  const own = !info.followsScenario && !info.forkedFrom && followed && html`<p class="note">This sandbox has a scenario
    of its own: it doesn't follow ${followed}.
    ${" "}<${Sure} busy=${follow.busy} onClick=${follow.run}
      question="Follow it, and reset the sandbox?">${`Follow ${followed} again`}<//></p>`;
  const { problems = [], warnings = [] } = answer || {};
  const hint = html`<p class="hint">Applying it resets the sandbox: bank, faults, journal and clock begin again. In the
    editor, Tab indents, and Ctrl+Space offers keys and values. Esc, then Tab leaves it.</p>`;
  const limit = simulator?.captureBytes;
  return html`<${Card} title="The scenario of this sandbox" actions=${actions}>
    ${note}${own}
    <${Problem} error=${apply.error || follow.error || error} />
    <div class="verdict">
      <p><span role="status"><${Validity} answer=${checked.text === text && answer} /></span>
        ${dirty && " You have edits that are not applied."}</p>
    </div>
    <${Editor} text=${text} start=${dirty ? null : start} onInput=${set} answer=${answer} jump=${jump}
      replacement=${inferred} />
    ${problems.length + warnings.length > 0 ? html`<${Listed} problems=${problems} warnings=${warnings}
      jump=${setJump} />` : hint}
  <//>
  ${limit && html`<${Capture} limit=${limit} put=${(text) => setInferred({ text })} />`}`;
}

// useDraft returns the edited text, whether it differs from start, and a function that sets it.
function useDraft(sandbox, start) {
  const [, draw] = useState(0);
  const draft = drafts.get(sandbox);
  const text = draft ?? start;
  const dirty = text !== start;
  const set = (edited) => {
    if (edited === start) drafts.delete(sandbox);
    else drafts.set(sandbox, edited);
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
  return { text, dirty, set };
}

// useValidation returns the newest answer about a text, or the error, with the text that was checked.
function useValidation(text) {
  const [checked, check] = useState({});
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => call("v1/scenarios/validate", { body: text, type: "application/yaml",
      signal: abort.signal })
      .then((answer) => check({ text, answer }), (error) => abort.signal.aborted || check({ text, error })), 300);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return checked;
}

// Validity says what a scenario makes, or how many problems it has.
function Validity({ answer }) {
  if (!answer) return "Checking…";
  const { problems, warnings, summary } = answer;
  if (!answer.valid) return html`<${Tag} kind="bad">${plural(problems.length, "problem")}<//> Each leads to its line.`;
  const { name, description, ...counts } = summary;
  const noun = (what) => what.replace(/[A-Z]/g, (c) => " " + c.toLowerCase()).slice(0, -1);
  const parts = Object.entries(counts).map(([what, n]) => plural(n, noun(what)));
  const amber = warnings.length > 0 && html`<${Tag} kind="warn">${plural(warnings.length, "warning")}<//>`;
  return html`<${Tag} kind="ok">valid<//> <strong>${name}</strong> makes ${parts.join(", ")}. ${amber}`;
}

// isHere reports whether a problem is in the text that is edited.
const isHere = (p) => p.line && (!p.file || p.file === "scenario.yaml");

// maxRows is how many problems and warnings are listed. The editor marks all of them.
const maxRows = 5;

// Listed lists problems, then warnings. Each leads to its line.
function Listed({ problems, warnings, jump }) {
  const all = [...problems, ...warnings];
  const link = (p) => html`<button type="button" class="link" onClick=${() =>
    jump({ ...p })}>Line ${p.line}: ${p.message}</button>`;
  const row = (p, i) => html`<li class=${i < problems.length ? "bad" : "warn"}>${isHere(p) ? link(p) : p.message}</li>`;
  const others = all.length > maxRows && html`<li>and ${all.length - maxRows} more</li>`;
  return html`<ul class="listed">${all.slice(0, maxRows).map(row)}${others}</ul>`;
}

// Editor is CodeMirror with marks at the lines that have problems or warnings. Without edits, it shows start. With
// edits, start is null. jump is a problem to show, and replacement a text to edit instead; each is a new object.
function Editor({ text, start, onInput, answer, jump, replacement }) {
  const host = useRef(null);
  const view = useRef(null);
  const input = useRef(null);
  input.current = onInput;
  const [cm, set] = useState({});
  useEffect(() => {
    Promise.all([import("../vendor/codemirror.js"), call("v1/scenarios/schema")])
      .then(([editor, schema]) => set({ ...editor, schema }), () =>
        set({ error: new Error("The editor can't be loaded. Reload the console.") }));
  }, []);
  useEffect(() => {
    if (!cm.EditorView) return undefined;
    // Only in a shadow root CodeMirror has styles that the page's policy allows.
    const root = host.current.attachShadow({ mode: "open" });
    view.current = new cm.EditorView({ doc: text, root, parent: root, extensions: extensions(cm, (text) =>
      input.current(text)) });
    return () => view.current.destroy();
  }, [cm]);
  const replace = (text) => {
    const doc = view.current?.state.doc;
    if (doc && doc.toString() !== text) view.current.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  };
  useEffect(() => start !== null && replace(start), [start]);
  useEffect(() => replacement && replace(replacement.text), [cm, replacement]);
  const positionOf = ({ line, column = 1 }) => {
    const { doc } = view.current.state;
    const { from, to } = doc.line(Math.min(line, doc.lines));
    return { from: Math.min(from + Math.max(column - 1, 0), to), to };
  };
  useEffect(() => {
    if (!view.current || !answer) return;
    const marks = (problems, severity) => problems.filter(isHere).map((p) => ({ ...positionOf(p), severity,
      message: p.message }));
    const all = [...marks(answer.problems, "error"), ...marks(answer.warnings, "warning")].sort((a, b) =>
      a.from - b.from);
    view.current.dispatch(cm.setDiagnostics(view.current.state, all));
  }, [cm, answer]);
  useEffect(() => {
    if (!view.current || !jump) return;
    const { from } = positionOf(jump);
    view.current.dispatch({ selection: { anchor: from }, effects: cm.EditorView.scrollIntoView(from,
      { y: "center" }) });
    view.current.focus();
  }, [jump]);
  return html`<${Problem} error=${cm.error} /><div class="editor" ref=${host}></div>`;
}

// extensions configure CodeMirror. The colours are variables of the page, so they follow the system.
function extensions(cm, changed) {
  const { EditorView, HighlightStyle, tags } = cm;
  const colours = HighlightStyle.define([{ tag: tags.definition(tags.propertyName), color: "var(--accent)" },
    { tag: tags.comment, color: "var(--soft)" }, { tag: tags.string, color: "var(--ok)" }, { tag: tags.keyword,
      color: "var(--lost)" }]);
  const surface = { backgroundColor: "var(--surface)", color: "var(--ink)" };
  const sunk = { backgroundColor: "var(--sunk)", color: "var(--soft)" };
  const theme = EditorView.theme({
    "&": { ...surface, height: "min(60vh, 40rem)", fontSize: ".87rem" },
    ".cm-scroller": { fontFamily: "var(--mono)" },
    ".cm-gutters": { ...sunk, borderColor: "var(--line)" },
    ".cm-activeLine": { backgroundColor: "transparent", boxShadow: "inset 2px 0 var(--accent)" },
    ".cm-cursor": { borderLeftColor: "var(--ink)" },
    ".cm-selectionBackground": { background: "var(--accent-soft) !important" },
    ".cm-panels": sunk,
    ".cm-textfield, .cm-button": { ...surface, backgroundImage: "none", border: "1px solid var(--strong-line)" },
    ".cm-searchMatch": { backgroundColor: "var(--warn-soft)" },
    ".cm-tooltip": { ...surface, border: "1px solid var(--line)" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--surface)" },
    ".cm-completionInfo": { maxWidth: "22rem" },
  });
  return [cm.autocompletion({ override: [completion(cm.schema)] }), cm.lineNumbers(), cm.history(), cm.drawSelection(),
    cm.highlightActiveLine(), cm.search(), cm.lintGutter(), cm.yaml(), cm.syntaxHighlighting(colours), theme,
    EditorView.contentAttributes.of({ "aria-label": "Scenario YAML", tabindex: "0" }),
    cm.keymap.of([...cm.completionKeymap, ...cm.defaultKeymap, ...cm.historyKeymap, ...cm.searchKeymap,
      cm.indentWithTab]),
    EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString()))];
}

function Resolved({ from }) {
  const code = (yaml) => html`<${Code} label="the resolved scenario, with origins" text=${yaml} />`;
  return html`<${Card} title="Resolved">
    <p class="hint">The scenario with all that it extends, and the file and line that each value comes from.</p>
    <${Loaded} from=${from}>${code}<//>
  <//>`;
}

function Catalogue({ sandbox, from, chosen }) {
  const all = from.data?.scenarios || [];
  const rows = all.map((s) => html`<${Row} key=${s.name} marked=${s.name === chosen} scroll="">
    <td class="nowrap"><a href=${href("scenario", sandbox, { view: "catalogue", show: s.name })}>${s.name}</a></td>
    <td>${s.description}</td><//>`);
  const table = () => html`<${Table} caption="Built-in scenarios" columns=${["Scenario", "What it is"]}>${rows}<//>`;
  const built = all.find((s) => s.name === chosen);
  return html`<${Card} title="Catalogue"><${Loaded} from=${from}>${table}<//><//>
    ${built && html`<${BuiltIn} key=${chosen} sandbox=${sandbox} scenario=${built} />`}`;
}

function BuiltIn({ sandbox, scenario: { name, yaml } }) {
  const use = () => {
    drafts.set(sandbox, yaml);
    change({ view: "", show: "" });
    say(`The editor has ${name}. Nothing is applied yet.`);
  };
  const start = drafts.has(sandbox) ? html`<${Sure} onClick=${use} question="Replace your edits?">Use as a start<//>`
    : html`<${Button} onClick=${use}>Use as a start<//>`;
  const actions = html`<a class="button" href=${href("sandboxes", sandbox, { new: 1, scenario: name })}>New sandbox
    from it</a>
    ${start}`;
  return html`<${Card} title=${"Scenario " + name} actions=${actions}><${Code} label=${"scenario " + name}
    text=${yaml} /><//>`;
}
