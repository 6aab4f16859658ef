// The page Faults: the rules as sentences, and a form that adds or edits one.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { Form } from "../parts.js";
import { change, go, href } from "../route.js";
import { Button, Card, Check, Code, Field, Loaded, Options, Problem, Sure, Tag } from "../ui.js";
import { isStub, ruleOf, ruleParams, sentence, whole, yaml } from "./fault-rule.js";

// own returns a rule without what the server counts and says about it.
const own = ({ matched, fired, summary, ...rule }) => rule;

export function Faults({ sandbox, params }) {
  const rules = useCall(at(sandbox, ["faults"]), { every: 1000 });
  const contract = useCall("v1/operations");
  const action = useAction(async (said, query, options) => {
    await call(at(sandbox, ["faults"], query), options);
    rules.reload();
    return said;
  });
  const remove = (name) => action.run(name ? `Removed ${name}.` : "There are no faults now.", { name },
    { method: "DELETE" });
  const all = rules.data?.faults || [];
  const edited = all.find((rule) => rule.name === params.edit);
  const form = (data) => html`<${FaultForm} key=${params.edit} sandbox=${sandbox} params=${params} contract=${data}
    rules=${all}
    edited=${edited} reload=${rules.reload} />`;
  const close = html`<a class="button" href=${href("faults", sandbox)}>Close</a>`;
  const clear = all.length > 0 && html`<${Sure} busy=${action.busy} onClick=${() => remove()}
    question="Really remove all?">Clear<//>`;
  const gone = params.fault && rules.data && !all.some((rule) => rule.name === params.fault);
  const list = () => html`<${Rules} sandbox=${sandbox} all=${all} chosen=${params.fault} action=${action}
    remove=${remove} />`;
  const open = html`<${Card} id="card-form" title=${edited ? `Edit ${edited.name}` : "Add a fault or a stub"}
    actions=${close}>
    <${Loaded} from=${contract}>${form}<//>
  <//>`;
  const begin = () => change({ add: "1", fault: "" });
  const closed = html`<p class="actions"><${Button} kind="main" onClick=${begin}>Add a fault<//></p>`;
  const missing = html`<p class="note">There is no rule “${params.fault}” now. It was removed, or the sandbox was
    reset.</p>`;
  const fills = Object.keys(params).some((name) => name !== "fault"); // a link can fill in the form
  return html`${fills ? open : closed}
    <${Card} title="Rules" actions=${clear}>
      <${Problem} error=${action.error} />
      ${gone && missing}
      <${Loaded} from=${rules}>${list}<//>
      <p class="hint">The bank tries them in this order. The first that fires and has an answer gives it; delays add up.
        A reset brings back the rules of the scenario.</p>
    <//>`;
}

function Rules({ sandbox, all, chosen, action, remove }) {
  const moved = useRef(null);
  useEffect(() => { // the row of the button that was pressed has another place now
    document.getElementById("edit " + moved.current)?.focus();
    moved.current = null;
  }, [all]);
  const replace = (faults, said) => action.run(said, {}, { method: "PUT", body: { faults } });
  const raise = async (rule, i) => {
    const order = [...all.slice(0, i - 1), rule, all[i - 1], ...all.slice(i + 1)];
    await replace(order.map(own), `${rule.name} is number ${i} now.`);
    moved.current = rule.name;
  };
  const turn = (rule, on) => replace(all.map((r) => ({ ...own(r), off: (r === rule ? !on : r.off) || undefined })),
    `${rule.name} is ${on ? "on" : "off"} now.`);
  if (all.length === 0) return html`<p class="quiet">There are no faults: the bank answers every request by
    itself.</p>`;
  const rows = all.map((rule, i) => html`<${Rule} key=${rule.name} sandbox=${sandbox} rule=${rule} first=${i === 0}
    chosen=${rule.name === chosen} busy=${action.busy} turn=${(on) => turn(rule, on)} raise=${() => raise(rule, i)}
    remove=${() => remove(rule.name)} />`);
  return html`<ol class="rules">${rows}</ol>`;
}

// Rule says what a rule does and how often it did.
function Rule({ sandbox, rule, first, chosen, busy, turn, raise, remove }) {
  const { name, matched, fired, off } = rule;
  const ref = useRef(null);
  useEffect(() => chosen && ref.current.scrollIntoView({ block: "nearest" }), [chosen]);
  const times = `fired ${fired.toLocaleString("en")}`;
  const link = html`<a href=${href("journal", sandbox, { text: name })}>${times}</a>`;
  const unseen = html`<span class="unseen"> ${name} </span>`;
  const isOff = html`<${Tag}>off<//>`;
  const up = html`<button type="button" disabled=${busy} aria-label=${`Move ${name} up`} onClick=${raise}>↑</button>`;
  return html`<li ref=${ref} class=${chosen ? "chosen" : ""} aria-current=${chosen ? "true" : undefined}>
    <p>${sentence(rule)} ${off && isOff}</p>
    <p class="hint">${name} · matched ${matched.toLocaleString("en")} · ${fired > 0 ? link : times}</p>
    <div class="actions">
      <${Check} label=${[unseen, "on"]} checked=${!off} disabled=${busy} onChange=${turn} />
      <a class="button" id=${"edit " + name} href=${href("faults", sandbox, { ...ruleParams(own(rule)),
        edit: name })}>Edit${unseen}</a>
      <${Sure} busy=${busy} onClick=${remove} question=${`Remove ${name}?`}>Remove<//>
      ${!first && up}
    </div>
    <details><summary>As YAML${unseen}</summary><${Code} label=${`${name} as YAML`}
      text=${yaml(own(rule)).text} /></details>
  </li>`;
}

// The sentence begins with a count: these are the words before and after its number.
const counts = {
  first: ["The first", "calls of"],
  nth: ["Only number", "of the calls of"],
  every: ["One in every", "calls of"],
  after: ["All after the first", "calls of"],
};

const hasBody = (values) => values["then.body"] !== undefined || values.answer === "body";

// gaps returns a function that makes the fields of some paths, each with a label and an example.
const gaps = (...all) => ({ field }) => all.map(([path, label, placeholder]) =>
  field(path, label, { placeholder, size: 8 }));

const body = ({ field }) => [field("then.status", "Status", { size: 5, placeholder: "200" }),
  field("then.body", "Body", { as: "textarea" })];
const percentiles = gaps(["then.delay.p50", "p50", "200ms"], ["then.delay.p95", "p95", "800ms"]);
const lognormal = gaps(["then.delay.lognormal.median", "Median", "200ms"],
  ["then.delay.lognormal.sigma", "Sigma", "0.6"]);
const uniform = gaps(["then.delay.uniform", "From, to", "100ms, 2s"]);

// The effects of a rule: each has words, a pattern for its paths, and fields or values to set.
const effects = {
  answer: { text: "answer", of: /^then\.(status|error)/, fields: answer },
  body: { text: "answer, with a body of your own,", of: /^(then\.(status|body)|answer)/, sets: { answer: "body" },
    fields: body },
  delay: { text: "are delayed by", of: /^then\.delay$/, fields: gaps(["then.delay", "Delay", "250ms"]) },
  uniform: { text: "are delayed by a time in", of: /^then\.delay\.u/, fields: uniform },
  percentiles: { text: "are delayed by percentiles", of: /^then\.delay\.p/, fields: percentiles },
  lognormal: { text: "are delayed by a lognormal time", of: /^then\.delay\.l/, fields: lognormal },
  connection: { text: "lose their connection:", of: /^then\.connection/, fields: connection },
  expire: { text: "find their token expired", of: /^then\.expireToken/, sets: { "then.expireToken": "true" } },
};

// emptied returns the parameters of some paths as empty ones.
function emptied(values, pattern) {
  return Object.fromEntries(Object.keys(values).filter((p) => pattern.test(p)).map((p) => [p, ""]));
}

// FaultForm is a sentence with gaps. Its state is in the URL, and its choices come from the contract. It shows the
// YAML of the rule.
function FaultForm({ sandbox, params, contract, rules, edited, reload }) {
  const form = useRef(null);
  useEffect(() => {
    document.getElementById("card-form").scrollIntoView();
    form.current.querySelector("select").focus({ preventScroll: true });
  }, []);
  const values = whole(params);
  const rule = ruleOf(values);
  const made = yaml(rule);
  const [tried, remember] = useState(null);
  const place = edited ? rules.indexOf(edited) : 0;
  const save = useAction(async () => {
    remember({ ...made, place });
    const all = edited ? rules.map((r) => "  - " + JSON.stringify(own(r))) : []; // JSON is YAML, too
    all[place] = made.text.slice("faults:\n".length);
    const { faults } = await call(at(sandbox, ["faults"]), { method: edited ? "PUT" : "POST", type: "application/yaml",
      body: "faults:\n" + all.join("\n") });
    reload();
    go("faults", sandbox, { fault: faults[place].name });
    return `${edited ? "Changed" : "Added"} ${faults[place].name}.`;
  });
  const error = tried?.text === made.text ? save.error : null;
  const wrong = (error?.problems || []).map((p) => ({ ...p, path: tried.paths[p.line - 1 - tried.place] || "" }));
  const set = (more) => change({ ...emptied(params, /^/), ...values, fault: "", ...more }, { replace: true });
  const field = (path, label, more = {}) => {
    const problem = wrong.find((p) => !p.said && (p.path === path || p.path.startsWith(path + ".")));
    if (problem) problem.said = true;
    return html`<${Field} key=${path} label=${label} value=${values[path] || ""} onInput=${(text) =>
      set({ [path]: text })}
      error=${problem?.message} ...${more} />`;
  };
  const choice = (path, label, options, value, more = {}) => field(path, label, { ...more, as: "select", value,
    children: html`<${Options} of=${options} value=${value} />` });
  const of = { values, contract, field, choice, set, wrong };
  const [first, then, others] = [which(of), what(of), more(of)];
  // Each field has taken its problem by now.
  const rest = wrong.filter((p) => !p.said).map((p) => p.message).join("; ");
  return html`<div ref=${form}><${Form} class="fault-form" onSubmit=${save.run}>
    <div class="sentence">${first}${then}</div>
    ${others}
    <${Problem} error=${wrong.length === 0 ? error : rest && { message: rest }} />
    <p class="actions"><${Button} kind="main" type="submit" busy=${save.busy}
      disabled=${Object.keys(rule.then).length === 0}>${edited ? "Save" : "Add"}<//></p>
    <h3>As YAML</h3>
    <${Code} label="the rule as YAML" text=${made.text} />
    <p class="hint">The same text works in a scenario, and in <code>POST …/faults</code>.</p>
  <//></div>`;
}

const methods = [["", "any method"], "GET", "POST", "PUT", "PATCH", "DELETE"];
const countOf = (values) => values.count ?? (Object.keys(counts).find((key) => values["when." + key]) || "");

// which writes the beginning of the sentence: the calls.
function which({ values, contract, field, choice, set }) {
  const count = countOf(values);
  const names = contract.operations.map((o) => o.name);
  const families = names.map((name) => name.split(".")[0] + ".*");
  const stub = isStub(values);
  const n = values["when." + count] || "1";
  const begin = (to) => set({ ["when." + count]: "", count: to, ...(to && { ["when." + to]: n }) });
  const choose = (to) => set(to === "stub" ? { operation: "", stub: "1", what: "body", answer: "body" }
    : { stub: "", method: "", path: "", operation: to });
  return [
    choice("count", "Calls", [["", "All"], ...Object.keys(counts).map((key) => [key, counts[key][0]])], count,
      { onInput: begin }),
    count && field("when." + count, "Number", { inputmode: "numeric", size: 3 }),
    " ", counts[count]?.[1] || "calls of", " ",
    choice("operation", "Operation", [["", "all operations"], ["stub", "a path of your own (a stub)"],
      ...new Set([...families, ...names, values.operation].filter(Boolean))], stub ? "stub" : values.operation || "",
      { onInput: choose }),
    stub && choice("method", "Method", methods, values.method || ""),
    stub && field("path", "Path", { class: "wide", placeholder: "/v1/accounts/{id}" }),
  ];
}

// what writes the rest of the sentence: the effects on these calls.
function what(of) {
  const { values, set } = of;
  const present = Object.keys(effects).filter((key) => key !== (hasBody(values) ? "answer" : "body") &&
    Object.keys(values).some((path) => effects[key].of.test(path)));
  const chosen = (values.what || present.join() || "answer").split(",");
  const choose = (i) => (to) => {
    const now = [...chosen];
    now[i] = to;
    const gone = chosen[i] ? emptied(values, effects[chosen[i]].of) : {};
    set({ ...gone, ...effects[to]?.sets, what: now.filter(Boolean).join() });
  };
  return [...chosen, ""].flatMap((key, i) => {
    const left = Object.keys(effects).filter((k) => k === key || !chosen.includes(k));
    const options = left.map((k) => [k, effects[k].text]);
    if (i > 0) options.unshift(["", "nothing else"]);
    return [i > 0 && " and ", html`<${Field} key=${i} as="select" label=${i ? "What else" : "What"} value=${key}
      onInput=${choose(i)}><${Options} value=${key} of=${options} /><//>`, effects[key]?.fields?.(of)];
  });
}

// answer is an error of the bank. The contract offers statuses and codes, and others can be typed.
function answer({ values, contract: { operations }, field }) {
  const names = (values.operation || "*").split(",");
  const is = (o) => names.some((p) => p === o.name || (p.endsWith("*") && o.name.startsWith(p.slice(0, -1))));
  const errors = operations.filter(is).flatMap((o) => o.errors);
  const here = errors.filter((e) => String(e.status) === values["then.status"]);
  const code = values["then.error.code"] || here.find((e) => e.usual)?.code || "…";
  const message = here.find((e) => e.code === code)?.message || "…";
  const list = (id, pairs) => html`<datalist id=${id}><${Options} of=${[...new Map(pairs)].sort()} /></datalist>`;
  return [
    field("then.status", "Status", { list: "statuses", size: 6, inputmode: "numeric", placeholder: "status" }),
    field("then.error.code", "Code", { list: "codes", size: 18, placeholder: `usually ${code}` }),
    field("then.error.message", "Message", { class: "wide", placeholder: `usually “${message}”` }),
    list("statuses", errors.map((e) => [e.status, e.status])),
    list("codes", here.map((e) => [e.code, e.message])),
  ];
}

// connection chooses a kind of connection fault, and its measures.
function connection({ values, contract: { faults: { connections } }, field, choice, set }) {
  const { kind = "", about, example = {} } = connections.find((c) => c.kind === values["then.connection"]) || {};
  const examples = Object.entries(ruleParams({ then: { connection: example } }));
  const measures = examples.filter(([path]) => path !== "then.connection");
  const onInput = (to) => set({ ...emptied(values, /^then\.connection/), "then.connection": to });
  return [choice("then.connection", "Connection", [["", "choose how"], ...connections.map((c) => c.kind)], kind,
    { onInput, hint: about }), ...gaps(...measures.map(([path, of]) => [path, path.split(".").pop(), of]))({ field })];
}

// membersOf returns the members of a schema: [path, member]. In place of an object it has the members of that object.
function membersOf(schemas, name, path) {
  return Object.entries(schemas[name].properties).flatMap(([key, m]) => {
    const at = `${path}.${key}`;
    return m.$ref ? membersOf(schemas, m.$ref.split("/").pop(), at) : [[at, m]];
  });
}

// title returns a path for people: when.during.from is During: from.
const title = (path) => path.replace(/^(when|then)\./, "").replace(/^./, (c) => c.toUpperCase()).replaceAll(".", ": ");

// more has what a sentence rarely needs.
function more({ values, contract: { faults: { schemas, phases } }, field, choice, wrong }) {
  const isGap = (path) => path === "when." + countOf(values) || (counts[path.slice(5)] && !values[path]);
  const { headers } = schemas.FaultThen.properties;
  const all = [...membersOf(schemas, "FaultWhen", "when").filter(([path]) => !isGap(path)),
    ["then.headers", { ...headers, type: "object" }], ["name", schemas.FaultRule.properties.name]];
  const used = (path) => values[path] || wrong.some((p) => p.path.startsWith(path));
  const open = values.operation?.includes(",") || used("phase") || all.some(([path]) => used(path));
  const phase = phases.find((p) => p.phase === values.phase) || phases[0];
  const about = ({ type, description, examples }) => (type === "object" ? { as: "textarea",
    hint: description + " A line for each: name: value." } : { hint: description, placeholder: examples?.[0] });
  const ofOperations = !isStub(values) && [
    field("operation", "Operations", { hint: "Names and families, with commas between them." }),
    choice("phase", "Phase", phases.map((p) => [p.phase, `${p.phase} the operation`]), phase.phase,
      { hint: phase.about }),
  ];
  return html`<details open=${open || undefined}>
    <summary>More: several operations, conditions, phase, headers, name</summary>
    <div class="fields">${ofOperations}${all.map(([path, m]) => field(path, title(path), about(m)))}</div>
  </details>`;
}
