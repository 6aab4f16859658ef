// The page Faults: the failures that are asked for, how often they fired, and a form for more.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { change, go, href } from "../route.js";
import { Button, Card, Check, Code, Field, Loaded, Options, Problem, Sure, Table, Tag } from "../ui.js";
import { isStub, ruleOf, ruleParams, subject, whole, yaml } from "./fault-rule.js";

const most = 200; // rows

export function Faults({ sandbox, params }) {
  const rules = useCall(at(sandbox, ["faults"]), { every: 1000 });
  const contract = useCall("v1/operations");
  const remove = useAction(async (name) => {
    await call(at(sandbox, ["faults"], { name }), { method: "DELETE" });
    rules.reload();
    if (name === undefined || name === params.fault) change({ fault: "" }, { replace: true });
    return name === undefined ? "There are no faults now." : `Removed ${name}.`;
  });
  const replace = useAction(async (faults, said) => {
    await call(at(sandbox, ["faults"]), { method: "PUT", body: { faults } });
    rules.reload();
    return said;
  });
  const edited = rules.data?.faults.some((rule) => rule.name === params.edit) && params.edit;
  return html`<${Card} title="Rules" actions=${rules.data?.faults.length > 0 && html`<${Sure} busy=${remove.busy}
    onClick=${() => remove.run()} question="Really remove all?">Clear<//>`}>
      <${Problem} error=${remove.error || replace.error} />
      <${Loaded} from=${rules}>${(data) => html`<${Rules} sandbox=${sandbox} params=${params} of=${data.faults} remove=${remove}
        replace=${replace} />`}<//>
      <p class="hint">They are tried in this order: the first that fires and has an answer gives it,
        and delays add up. A reset brings back those of the scenario.</p>
    <//>
    <${Card} id="card-form" title=${edited ? `Edit ${edited}` : "Add a fault or a stub"}>
      <${Loaded} from=${contract}>${(data) => html`<${FaultForm} sandbox=${sandbox} params=${params} contract=${data}
        rules=${rules.data?.faults || []} edited=${edited} added=${rules.reload} />`}<//>
    <//>`;
}

// brief returns the paths of a part of a rule with their values, for a row.
function brief(part, of) {
  const texts = Object.entries(ruleParams({ [part]: of || {} })).map(([path, text]) => `${path.slice(part.length + 1)} ${text}`);
  return texts.join(", ").replaceAll("\n", "; ");
}

// own returns what was written of a rule.
const own = ({ matched, fired, ...rule }) => rule;

function Rules({ sandbox, params, of, remove, replace }) {
  const [all, showAll] = useState(false);
  const moved = useRef("");
  useEffect(() => { // a button that was pressed has lost the focus meanwhile
    if (moved.current && !replace.busy) document.getElementById(moved.current)?.focus();
    moved.current = replace.busy ? moved.current : "";
  }, [of]);
  const move = (rule, by) => {
    const list = of.filter((r) => r !== rule);
    const to = of.indexOf(rule) + by;
    list.splice(to, 0, rule);
    moved.current = `${(by < 0 && to > 0) || to === list.length - 1 ? "up" : "down"} ${rule.name}`;
    replace.run(list.map(own), `${rule.name} is number ${to + 1} now.`);
  };
  const turn = (rule, on) => replace.run(of.map((r) => ({ ...own(r), off: (r === rule ? !on : r.off) || undefined })),
    `${rule.name} is ${on ? "on" : "off"} now.`);
  const { filter = "" } = params;
  const found = of.filter((rule) => JSON.stringify(rule).toLowerCase().includes(filter.toLowerCase()));
  const shown = all ? found : found.slice(0, most);
  return html`${params.fault && !of.some((rule) => rule.name === params.fault) && html`<p
    class="note">There is no rule “${params.fault}” now: it was removed, or the sandbox was reset.</p>`}
    ${of.length > 8 && html`<${Field} label="Filter the rules" value=${filter}
      onInput=${(filter) => change({ filter }, { replace: true })} />`}
    <${Table} caption="Fault rules in their order" narrow columns=${["Name", "For", "When", "Then", { title: "Matched", number: true },
      { title: "Fired", number: true }, "Change"]}
      empty=${of.length > 0 ? "No rule is like that." : "No faults: every request is answered as the bank does. Add one below."}>
      ${shown.map((rule) => html`<${Rule} key=${rule.name} sandbox=${sandbox} rule=${rule} open=${rule.name === params.fault}
        params=${params} remove=${remove} busy=${replace.busy} move=${move} turn=${turn} first=${rule === of[0]}
        last=${rule === of.at(-1)} />`)}
    <//>
    ${found.length > shown.length && html`<p><button type="button" class="link"
      onClick=${() => showAll(true)}>Show all ${found.length}</button></p>`}`;
}

function Rule({ sandbox, rule, open, params, remove, busy, move, turn, first, last }) {
  const { name, matched, fired } = rule;
  return html`<tr class=${open ? "chosen" : ""}>
      <td><button type="button" class="link" data-rule aria-expanded=${open}
        onClick=${() => change({ fault: open ? "" : name })}>${name}</button>${rule.off && html` <${Tag}>off<//>`}</td>
      <td>${subject(rule)}</td>
      <td>${brief("when", rule.when) || "always"}</td>
      <td>${rule.phase && html`<${Tag}>${rule.phase}<//> `}${brief("then", rule.then)}</td>
      <td class="number" data-label="matched">${matched.toLocaleString("en")}</td>
      <td class="number" data-label="fired">${fired > 0 ? html`<a href=${href("journal", sandbox, { text: name })}
        title="Those in the journal">${fired.toLocaleString("en")}</a>` : "0"}</td>
      <td><div class="actions">
        <${Check} label=${html`<span class="unseen">${name} </span>on`} checked=${!rule.off} disabled=${busy}
          onChange=${(on) => turn(rule, on)} />
        <button type="button" class="small" id=${"up " + name} aria-label=${`Move ${name} up`} disabled=${busy || first}
          onClick=${() => move(rule, -1)}>↑</button>
        <button type="button" class="small" id=${"down " + name} aria-label=${`Move ${name} down`} disabled=${busy || last}
          onClick=${() => move(rule, 1)}>↓</button>
        <a class="button" href=${href("faults", sandbox, { ...ruleParams(own(rule)), edit: name })}>Edit<span
          class="unseen"> ${name}</span></a>
        <${Sure} busy=${remove.busy} onClick=${() => remove.run(name)} question=${`Remove ${name}?`}>Remove<//>
      </div></td>
    </tr>
    ${open &&
    html`<tr class="chosen"><td colspan="7"><${Code} label=${`${name} as YAML`} text=${yaml(own(rule)).text} />
      <p class="hint"><a href=${href("faults", sandbox, { ...ruleParams(own(rule)), name: "",
        fault: params.fault })}>Begin another one like it</a></p></td></tr>`}`;
}

// The form of a fault rule. Its state is in the URL, its choices are from the contract, and it shows the YAML that it makes.

const counts = /^[a-z]+$/; // conditions that stand alone, such as first; the others have a dot

// FaultForm makes a rule, or another one of the rule that is edited. contract is the answer of /v1/operations; added is called when it is
// there.
export function FaultForm({ sandbox, params, contract: { operations, faults }, rules, edited, added }) {
  const contract = useMemo(() => ({ operations, faults: formOf(faults) }), [faults]);
  const values = whole(params);
  const numbers = useMemo(() => numbersOf(contract.faults), [contract]);
  const made = yaml(ruleOf(values, numbers, contract.faults.when.map((w) => "when." + w.key)));
  const [tried, remember] = useState(null);
  const place = edited ? rules.findIndex((rule) => rule.name === edited) : 0;
  const others = edited ? rules.map((rule) => "  - " + JSON.stringify(own(rule))) : []; // JSON is YAML, too
  const add = useAction(async () => {
    remember(made);
    const body = ["faults:", ...others.slice(0, place), made.text.slice("faults:\n".length), ...others.slice(place + 1)].join("\n");
    const { faults } = await call(at(sandbox, ["faults"]), { method: edited ? "PUT" : "POST", body, type: "application/yaml" })
      .catch((error) => {
        for (const p of error.problems || []) p.line -= place;
        throw error;
      });
    added();
    go("faults", sandbox, { fault: faults[place].name });
    return `${edited ? "Changed" : "Added"} ${faults[place].name}.`;
  });
  useEffect(() => edited && document.getElementById("card-form").scrollIntoView(), [edited]);
  const error = tried?.text === made.text ? add.error : null;
  const wrong = {};
  for (const p of error?.problems || []) wrong[tried.paths[p.line - 1]] ??= p.message;
  const set = (more) => change({ ...Object.fromEntries(Object.keys(params).map((name) => [name, ""])), ...values, fault: "", ...more },
    { replace: true });
  const field = (path, label, about = {}, more = {}) =>
    html`<${Field} key=${path} label=${label} hint=${about.about} placeholder=${about.example === undefined ? "" : String(about.example)}
      value=${values[path] || ""} onInput=${(text) => set({ [path]: text })}
      error=${wrong[path]} as=${about.type === "object" ? "textarea" : "input"}
        inputmode=${numbers.has(path) ? "decimal" : undefined} ...${more} />`;
  const parts = { values, set, field, wrong, contract, chosen: isStub(values) ? [] : chosen(operations, values.operation) };
  return html`<form class="fault-form" onSubmit=${(event) => {
    event.preventDefault();
    add.run();
  }}>
    <div>
      <${Which} of=${parts} />
      <${What} of=${parts} />
      ${field("name", "Name", { about: "Shown in the journal, and used to remove the rule. Default: one is assigned." })}
    </div>
    <div class="made">
      <h3>As YAML</h3>
      <${Code} label="the rule as YAML" text=${made.text} />
      <p class="hint">The same text works in a scenario, and in <code>POST …/faults</code>.</p>
      <${Problem} error=${error} />
      <div class="actions"><${Button} kind="main" type="submit" busy=${add.busy}>${edited ? "Save" : "Add the fault"}<//><a class="button"
        href=${"#/faults/" + encodeURIComponent(sandbox)}>Empty the form</a></div>
    </div>
  </form>`;
}

// formOf adds the members that a rule's when and then have by their schemas. In place of an object of its own there are those within it.
function formOf(faults) {
  const members = (name, prefix = "") => Object.entries(faults.schemas[name].properties).flatMap(([key, m]) => m.$ref
    ? members(m.$ref.split("/").pop(), `${prefix}${key}.`)
    : { key: prefix + key, type: [m.type].flat()[0], about: m.description, example: m.examples?.[0] });
  return { ...faults, when: members("FaultWhen"), then: members("FaultThen").filter((m) => m.key !== "connection") };
}

// numbersOf returns the paths whose values are numbers.
function numbersOf(faults) {
  const paths = [...faults.when.map((w) => ["when." + w.key, w]), ...faults.then.map((t) => ["then." + t.key, t])]
    .filter(([, of]) => /^(integer|number)$/.test(of.type))
    .map(([path]) => path);
  for (const c of faults.connections) for (const [path, example] of measures(c)) if (typeof example === "number") paths.push(path);
  return new Set(paths);
}

// measures returns the paths of the measures of a kind of connection fault, with examples.
function measures(connection) {
  const of = connection.example?.[connection.kind];
  const path = `then.connection.${connection.kind}`;
  if (of === undefined) return [];
  return typeof of === "object" ? Object.entries(of).map(([name, example]) => [`${path}.${name}`, example]) : [[path, of]];
}

// chosen returns the operations that patterns stand for.
function chosen(operations, patterns = "") {
  const list = patterns.split(",").filter(Boolean);
  if (list.length === 0) return operations;
  return operations.filter((o) => list.some((p) => p === "*" || p === o.name || (p.endsWith(".*") && o.name.startsWith(p.slice(0, -1)))));
}

function Which({ of: { values, set, field, wrong, contract } }) {
  const patterns = (values.operation || "").split(",").filter(Boolean);
  const families = [...new Set(contract.operations.map((o) => o.name.split(".")[0] + ".*"))];
  const all = [...families, ...contract.operations.map((o) => o.name)];
  const choose = (i) => (value) => set(value === "stub" ? { operation: "", stub: "1", answer: "body" }
    : { stub: "", method: "", path: "", operation: [...patterns.slice(0, i), value, ...patterns.slice(i + 1)].filter(Boolean).join(",") });
  const of = contract.faults.schemas.FaultRule.properties;
  const known = (p) => (all.includes(p) ? all : [p, ...all]);
  const { when } = contract.faults;
  const first = isStub(values) ? "stub" : patterns[0] || "";
  const rest = when.filter((w) => !counts.test(w.key));
  return html`<fieldset>
    <legend>Which requests</legend>
    <div class="fields">
      <${Field} label="Operation" as="select" value=${first} onInput=${choose(0)} error=${wrong.operation}><${Options}
        of=${[["", "all operations"], ["stub", "none: a stub of a path"], ...known(patterns[0] || all[0])]} value=${first} /><//>
      ${first === "stub" && html`${field("method", "Method", { about: of.method.description })}${field("path", "Path",
        { about: of.path.description, example: of.path.examples?.[0] })}`}
      ${patterns.length > 0 && [...patterns.slice(1), ""].map((p, i) => html`<${Field} key=${i} label=${`And operation ${i + 2}`}
        as="select" value=${p} onInput=${choose(i + 1)}><${Options}
        of=${[["", "no other"], ...known(p || all[0]).filter((o) => o === p || !patterns.includes(o))]} value=${p} /><//>`)}
    </div>
    <div class="fields">${when.filter((w) => counts.test(w.key)).map((w) => field("when." + w.key, title(w.key), w))}</div>
    <details open=${rest.some((w) => values["when." + w.key] || wrong["when." + w.key]) || undefined}>
      <summary>Only in a window of time, or only requests like …</summary>
      <div class="fields">${rest.map((w) => field("when." + w.key, title(w.key), w.type === "object"
        ? { ...w, about: w.about + " A line for each: name: value." } : w))}</div>
    </details>
  </fieldset>`;
}

// title returns a key for people: during.from is During: from.
const title = (key) => (key[0].toUpperCase() + key.slice(1)).replaceAll(".", ": ");

const delays = [
  ["", "none"],
  ["fixed", "always the same"],
  ["uniform", "between two"],
  ["percentiles", "by percentiles"],
  ["lognormal", "lognormal"],
];
const delayFields = {
  fixed: [["then.delay", "Delay", "250ms"]],
  uniform: [["then.delay.uniform", "From, to", "100ms, 2s"]],
  percentiles: [["then.delay.p50", "p50", "200ms"], ["then.delay.p95", "p95", "800ms"]],
  lognormal: [["then.delay.lognormal.median", "Median", "200ms"], ["then.delay.lognormal.sigma", "Sigma", "0.6"]],
};

function What({ of: { values, set, field, wrong, contract, chosen } }) {
  const { connections, phases, then } = contract.faults;
  const about = Object.fromEntries(then.map((t) => [t.key, t]));
  const stub = isStub(values);
  const known = values["then.body"] || (stub && !values["then.connection"]) ? "body"
    : values["then.status"] || values["then.error.code"] ? "error" : "";
  const answer = values.answer === "none" ? "" : values.answer || known;
  const late = values.late || Object.keys(delayFields).find((kind) => delayFields[kind].some(([path]) => values[path])) || "";
  const kinds = connections.filter((c) => !answer || c.delivers || c.kind === values["then.connection"]);
  const kind = connections.find((c) => c.kind === values["then.connection"]);
  const empty = (pattern) => Object.fromEntries(Object.keys(values).filter((path) => pattern.test(path)).map((path) => [path, ""]));
  const must = kind?.delivers && !answer; // such a fault needs the operation's own answer, which comes after
  const later = values.phase || chosen.some((o) => o.changes);
  return html`<fieldset>
    <legend>What happens</legend>
    <div class="fields">
      <${Field} label="Answer" as="select" value=${answer} error=${wrong.then}
        onInput=${(to) => set({ ...empty(/^then\.(status|error|body)/), answer: to })}><${Options}
        of=${[...(stub ? [["none", "none"]] : [["", "the operation's own"], ["error", "an error of the bank"]]),
          ["body", "a body of your own"]]} value=${answer || (stub ? "none" : "")} /><//>
      ${answer === "error" && html`<${Error} of=${{ values, set, field, wrong, chosen, anyStatus: contract.faults.anyStatus }} />`}
      ${answer === "body" &&
        html`${field("then.status", "Status", { example: stub ? 200 : 502 })}
          ${field("then.body", "Body", { ...about.body, type: "object" })}`}
      ${field("then.headers", "Headers", { ...about.headers, about: about.headers?.about + " A line for each: Name: value." })}
    </div>
    <div class="fields">
      <${Field} label="Connection" as="select" value=${kind?.kind || ""} hint=${kind?.about} error=${wrong["then.connection"]}
        onInput=${(to) => set({ ...empty(/^then\.connection/), "then.connection": to })}><${Options}
        of=${[["", "works"], ...kinds.map((c) => c.kind)]} value=${kind?.kind || ""} /><//>
      ${kind && measures(kind).map(([path, example]) => field(path, title(path.replace("then.connection.", "")), { example }))}
    </div>
    <div class="fields">
      <${Field} label="Delay" as="select" value=${late} onInput=${(to) => set({ ...empty(/^then\.delay/), late: to })}><${Options}
        of=${delays} value=${late} /><//>
      ${late && delayFields[late]?.map(([path, label, example]) => field(path, label === "Delay" ? "How long" : label, { example }))}
    </div>
    ${must
      ? html`<p class="hint">It comes after the operation: it needs an answer to deliver.</p>`
      : later && html`<${Field} label="Phase" as="select" value=${values.phase || ""} error=${wrong.phase}
        hint=${phases.find((p) => p.phase === (values.phase || phases[0].phase))?.about} onInput=${(to) => set({ phase: to })}><${Options}
        of=${[["", `${phases[0].phase} the operation`], ...phases.slice(1).map((p) => [p.phase, `${p.phase} the operation`])]}
        value=${values.phase === phases[0].phase ? "" : values.phase || ""} /><//>`}
  </fieldset>`;
}

// Error chooses a status and a code that the operations have. Others can be typed.
function Error({ of: { values, set, field, wrong, chosen, anyStatus } }) {
  const errors = chosen.flatMap((o) => o.errors);
  const statuses = [...new Set(errors.map((e) => e.status))].sort((a, b) => a - b).map(String);
  const status = values["then.status"] || "";
  const here = errors.filter((e) => String(e.status) === status);
  const codes = [...new Map(here.map((e) => [e.code, e])).values()];
  const usual = [...new Map(here.filter((e) => e.usual).map((e) => [e.code, e])).values()];
  const code = values["then.error.code"] || "";
  const otherStatus = status !== "" && !statuses.includes(status);
  const otherCode = code !== "" && !codes.some((e) => e.code === code);
  const undocumented = chosen.filter((o) => status && !o.errors.some((e) => String(e.status) === status && e.listed)).map((o) => o.name);
  const message = (code ? codes.find((e) => e.code === code) : usual[0])?.message;
  return html`<${Field} label="Status" as="select" value=${otherStatus ? "other" : status} error=${!otherStatus && wrong["then.status"]}
    onInput=${(to) => set({ "then.status": to, "then.error.code": "" })}
      hint=${undocumented.length > 0 && status !== "other"
        ? `Not documented for ${undocumented.length > 3 ? undocumented.length + " of the operations" : undocumented.join(", ")}.`
        : ""}>
      <${Options} of=${[["", "choose one"], ...statuses, ["other", "another …"]]} value=${otherStatus ? "other" : status} /><//>
    ${otherStatus && field("then.status", "Which status", { about: `From ${anyStatus[0]} to ${anyStatus[1]}.` },
      { value: status === "other" ? "" : status, onInput: (to) => set({ "then.status": to || "other" }) })}
    <${Field} label="Code" as="select" value=${otherCode ? "other" : code} onInput=${(to) => set({ "then.error.code": to })}>
      <${Options} of=${[["", usual.length > 0 ? `the usual: ${usual.map((e) => e.code).join(", ")}` : "the usual"],
        ...codes.map((e) => [e.code, e.code + (e.message ? ": " + e.message : "")]), ["other", "another …"]]}
        value=${otherCode ? "other" : code} /><//>
    ${otherCode && field("then.error.code", "Which code", {},
      { value: code === "other" ? "" : code, onInput: (to) => set({ "then.error.code": to || "other" }) })}
    ${field("then.error.message", "Message", { example: message || "" })}`;
}
