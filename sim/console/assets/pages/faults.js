// The page Faults: the rules as sentences, and a form that adds or edits one.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { Form } from "../parts.js";
import { change, go, href } from "../route.js";
import { Button, Card, Check, Code, Field, Loaded, Options, Problem, Sure, Tag } from "../ui.js";
import { fillsForm, isStub, ruleOf, ruleParams, sentence, whole, yaml } from "./fault-rule.js";

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
  const remove = (name) => action.run(name ? `Removed ${name}.` : "There are no faults now.", { name }, { method: "DELETE" });
  const replace = (faults, said) => action.run(said, {}, { method: "PUT", body: { faults } });
  const all = rules.data?.faults || [];
  const edited = all.find((rule) => rule.name === params.edit);
  return html`${fillsForm(params)
    ? html`<${Card} id="card-form" title=${edited ? `Edit ${edited.name}` : "Add a fault or a stub"} actions=${html`<a class="button"
        href=${href("faults", sandbox)}>Close</a>`}>
        <${Loaded} from=${contract}>${(data) => html`<${FaultForm} key=${params.edit} sandbox=${sandbox} params=${params}
          contract=${data} rules=${all} edited=${edited} reload=${rules.reload} />`}<//>
      <//>`
    : html`<p class="actions"><${Button} kind="main" onClick=${() => change({ add: "1", fault: "" })}>Add a fault<//></p>`}
    <${Card} title="Rules" actions=${all.length > 0 && html`<${Sure} busy=${action.busy} onClick=${() => remove()}
      question="Really remove all?">Clear<//>`}>
      <${Problem} error=${action.error} />
      ${params.fault && rules.data && !all.some((rule) => rule.name === params.fault) && html`<p
        class="note">There is no rule “${params.fault}” now. It was removed, or the sandbox was reset.</p>`}
      <${Loaded} from=${rules}>${() => html`<${Rules} sandbox=${sandbox} all=${all} chosen=${params.fault} busy=${action.busy}
        remove=${remove} replace=${replace} />`}<//>
      <p class="hint">The bank tries them in this order. The first that fires and has an answer gives it; delays add up.
        A reset brings back the rules of the scenario.</p>
    <//>`;
}

function Rules({ sandbox, all, chosen, busy, remove, replace }) {
  const moved = useRef(null);
  useEffect(() => { // the row of the button that was pressed has another place now
    document.getElementById("edit " + moved.current)?.focus();
    moved.current = null;
  }, [all]);
  const raise = (rule, i) => {
    replace([...all.slice(0, i - 1), rule, all[i - 1], ...all.slice(i + 1)].map(own), `${rule.name} is number ${i} now.`)
      .then(() => (moved.current = rule.name));
  };
  const turn = (rule, on) => replace(all.map((r) => ({ ...own(r), off: (r === rule ? !on : r.off) || undefined })),
    `${rule.name} is ${on ? "on" : "off"} now.`);
  if (all.length === 0) return html`<p class="quiet">There are no faults: the bank answers every request by itself.</p>`;
  return html`<ol class="rules">${all.map((rule, i) => html`<${Rule} key=${rule.name} sandbox=${sandbox} rule=${rule}
    chosen=${rule.name === chosen}>
    <${Check} label=${html`<span class="unseen">${rule.name} </span>on`} checked=${!rule.off} disabled=${busy}
      onChange=${(on) => turn(rule, on)} />
    <a class="button" id=${"edit " + rule.name} href=${href("faults", sandbox, { ...ruleParams(own(rule)), edit: rule.name })}>Edit<span
      class="unseen"> ${rule.name}</span></a>
    <${Sure} busy=${busy} onClick=${() => remove(rule.name)} question=${`Remove ${rule.name}?`}>Remove<//>
    ${i > 0 && html`<button type="button" disabled=${busy} aria-label=${`Move ${rule.name} up`} onClick=${() => raise(rule, i)}>↑</button>`}
  <//>`)}</ol>`;
}

// Rule says what a rule does and how often it did. The children change it.
function Rule({ sandbox, rule, chosen, children }) {
  const { name, matched, fired, off } = rule;
  const ref = useRef(null);
  useEffect(() => chosen && ref.current.scrollIntoView({ block: "nearest" }), [chosen]);
  return html`<li ref=${ref} class=${chosen ? "chosen" : ""} aria-current=${chosen ? "true" : undefined}>
    <p>${sentence(rule)} ${off && html`<${Tag}>off<//>`}</p>
    <p class="hint">${name} · matched ${matched.toLocaleString("en")} · ${fired > 0 ? html`<a href=${href("journal", sandbox,
      { text: name })}>fired ${fired.toLocaleString("en")}</a>` : "fired 0"}</p>
    <div class="actions">${children}</div>
    <details><summary>As YAML<span class="unseen"> ${name}</span></summary><${Code} label=${`${name} as YAML`}
      text=${yaml(own(rule)).text} /></details>
  </li>`;
}

// The counts with which the sentence can begin: what stands before and after the number.
const counts = {
  first: ["The first", "calls of"],
  nth: ["Only number", "of the calls of"],
  every: ["One in every", "calls of"],
  after: ["All after the first", "calls of"],
};

const hasBody = (values) => values["then.body"] !== undefined || values.answer === "body";

// What can happen: how the sentence says it, the beginning of its paths, and its fields or what it sets.
const effects = {
  answer: { text: "answer", of: /^then\.(status|error)/, fields: answer },
  body: { text: "answer, with a body of your own,", of: /^(then\.(status|body)|answer)/, sets: { answer: "body" }, fields: ({ field }) => [
    field("then.status", "Status", { size: 5, placeholder: "200" }), field("then.body", "Body", { as: "textarea" })] },
  delay: { text: "are delayed by", of: /^then\.delay$/, fields: gaps(["then.delay", "Delay", "250ms"]) },
  uniform: { text: "are delayed by a time in", of: /^then\.delay\.uniform/, fields: gaps(["then.delay.uniform", "From, to", "100ms, 2s"]) },
  percentiles: { text: "are delayed by percentiles", of: /^then\.delay\.p/, fields: gaps(["then.delay.p50", "p50", "200ms"],
    ["then.delay.p95", "p95", "800ms"]) },
  lognormal: { text: "are delayed by a lognormal time", of: /^then\.delay\.lognormal/, fields: gaps(["then.delay.lognormal.median", "Median",
    "200ms"], ["then.delay.lognormal.sigma", "Sigma", "0.6"]) },
  connection: { text: "lose their connection:", of: /^then\.connection/, fields: connection },
  expire: { text: "find their token expired", of: /^then\.expireToken/, sets: { "then.expireToken": "true" } },
};

// gaps returns what makes the fields of paths, each with a label and an example.
function gaps(...all) {
  return ({ field }) => all.map(([path, label, placeholder]) => field(path, label, { placeholder, size: 8 }));
}

// FaultForm is a sentence with gaps. Its state is in the URL, its choices come from the contract, and it shows the YAML of the rule.
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
    const others = edited ? rules.map((r) => "  - " + JSON.stringify(own(r))) : []; // JSON is YAML, too
    const body = ["faults:", ...others.slice(0, place), made.text.slice("faults:\n".length), ...others.slice(place + 1)].join("\n");
    const { faults } = await call(at(sandbox, ["faults"]), { method: edited ? "PUT" : "POST", body, type: "application/yaml" });
    reload();
    go("faults", sandbox, { fault: faults[place].name });
    return `${edited ? "Changed" : "Added"} ${faults[place].name}.`;
  });
  const error = tried?.text === made.text ? save.error : null;
  const wrong = (error?.problems || []).map((p) => ({ ...p, path: tried.paths[p.line - 1 - tried.place] || "" }));
  const set = (more) => change({ ...Object.fromEntries(Object.keys(params).map((name) => [name, ""])), ...values, fault: "", ...more },
    { replace: true });
  const field = (path, label, more = {}) => {
    const problem = wrong.find((p) => !p.said && (p.path === path || p.path.startsWith(path + ".")));
    if (problem) problem.said = true;
    return html`<${Field} key=${path} label=${label} value=${values[path] || ""} onInput=${(text) => set({ [path]: text })}
      error=${problem?.message} ...${more} />`;
  };
  const choice = (path, label, options, value, more = {}) => field(path, label, { ...more, as: "select", value,
    children: html`<${Options} of=${options} value=${value} />` });
  const of = { values, contract, field, choice, set, wrong };
  const [first, then, others] = [which(of), what(of), more(of)]; // from here on, it is known which problems have a field
  const rest = wrong.filter((p) => !p.said).map((p) => p.message);
  return html`<div ref=${form}><${Form} class="fault-form" onSubmit=${save.run}>
    <div class="sentence">${first}${then}</div>
    ${others}
    <${Problem} error=${wrong.length === 0 ? error : rest.length > 0 && { message: rest.join("; ") }} />
    <p class="actions"><${Button} kind="main" type="submit" busy=${save.busy}
      disabled=${Object.keys(rule.then).length === 0}>${edited ? "Save" : "Add"}<//></p>
    <h3>As YAML</h3>
    <${Code} label="the rule as YAML" text=${made.text} />
    <p class="hint">The same text works in a scenario, and in <code>POST …/faults</code>.</p>
  <//></div>`;
}

const countOf = (values) => values.count ?? (Object.keys(counts).find((key) => values["when." + key]) || "");

// which is the beginning of the sentence: which calls it is about.
function which({ values, contract, field, choice, set }) {
  const count = countOf(values);
  const names = contract.operations.map((o) => o.name);
  const all = new Set([...names.map((name) => name.split(".")[0] + ".*"), ...names, values.operation].filter(Boolean));
  const stub = isStub(values);
  return html`${choice("count", "Calls", [["", "All"], ...Object.entries(counts).map(([key, [text]]) => [key, text])], count,
      { onInput: (to) => set({ ["when." + count]: "", count: to, ...(to && { ["when." + to]: values["when." + count] || "1" }) }) })}
    ${count && field("when." + count, "Number", { inputmode: "numeric", size: 3 })} ${counts[count]?.[1] || "calls of"}
    ${choice("operation", "Operation", [["", "all operations"], ["stub", "a path of your own (a stub)"], ...all],
      stub ? "stub" : values.operation || "", { onInput: (to) => set(to === "stub" ? { operation: "", stub: "1", what: "body", answer: "body" }
        : { stub: "", method: "", path: "", operation: to }) })}
    ${stub && html`${choice("method", "Method", [["", "any method"], "GET", "POST", "PUT", "PATCH", "DELETE"], values.method || "")}
      ${field("path", "Path", { class: "wide", placeholder: "/v1/accounts/{id}" })}`}`;
}

// what is the rest of the sentence: what happens to these calls.
function what(of) {
  const { values, set } = of;
  const chosen = (values.what || Object.keys(effects).filter((key) => key !== (hasBody(values) ? "answer" : "body") &&
    Object.keys(values).some((path) => effects[key].of.test(path))).join() || "answer").split(",");
  const choose = (i) => (to) => {
    const gone = Object.keys(values).filter((path) => effects[chosen[i]]?.of.test(path)).map((path) => [path, ""]);
    const now = [...chosen];
    now[i] = to;
    set({ ...Object.fromEntries(gone), ...effects[to]?.sets, what: now.filter(Boolean).join() });
  };
  return [...chosen, ""].map((key, i) => html`${i > 0 && " and "}<${Field} key=${i} as="select" label=${i ? "What else" : "What"} value=${key}
      onInput=${choose(i)}><${Options} value=${key} of=${[...(i ? [["", "nothing else"]] : []), ...Object.keys(effects).filter((k) =>
      k === key || !chosen.includes(k)).map((k) => [k, effects[k].text])]} /><//>${effects[key]?.fields?.(of)}`);
}

// answer is an error of the bank. The contract offers statuses and codes, and others can be typed.
function answer({ values, contract: { operations }, field }) {
  const names = (values.operation || "*").split(",");
  const errors = operations.filter((o) => names.some((p) => p === o.name || (p.endsWith("*") && o.name.startsWith(p.slice(0, -1)))))
    .flatMap((o) => o.errors);
  const here = errors.filter((e) => String(e.status) === values["then.status"]);
  const code = values["then.error.code"] || here.find((e) => e.usual)?.code || "";
  const list = (id, pairs) => html`<datalist id=${id}><${Options} of=${[...new Map(pairs)].sort()} value="" /></datalist>`;
  return html`${field("then.status", "Status", { list: "statuses", size: 6, inputmode: "numeric", placeholder: "status" })}
    ${field("then.error.code", "Code", { list: "codes", size: 18, placeholder: code ? `usually ${code}` : "the usual code" })}
    ${field("then.error.message", "Message", { class: "wide", placeholder: `usually “${here.find((e) => e.code === code)?.message || "…"}”` })}
    ${list("statuses", errors.map((e) => [e.status, e.status]))} ${list("codes", here.map((e) => [e.code, e.message]))}`;
}

// connection is what happens to the connection, with its measures.
function connection({ values, contract: { faults }, field, choice, set }) {
  const kind = faults.connections.find((c) => c.kind === values["then.connection"]);
  const path = "then.connection." + kind?.kind;
  const measure = kind?.example?.[kind.kind];
  const measures = typeof measure === "object" ? Object.entries(measure).map(([name, example]) => [`${path}.${name}`, name, example])
    : measure === undefined ? [] : [[path, "Measure", measure]];
  const gone = Object.keys(values).filter((p) => p.startsWith("then.connection.")).map((p) => [p, ""]);
  return html`${choice("then.connection", "Connection", [["", "choose how"], ...faults.connections.map((c) => c.kind)], kind?.kind || "",
    { onInput: (to) => set({ ...Object.fromEntries(gone), "then.connection": to }), hint: kind?.about })} ${gaps(...measures)({ field })}`;
}

// membersOf returns the members of a schema: [path, member]. In place of an object it has the members of that object.
function membersOf(schemas, name, path) {
  return Object.entries(schemas[name].properties).flatMap(([key, m]) => (m.$ref ? membersOf(schemas, m.$ref.split("/").pop(),
    `${path}.${key}`) : [[`${path}.${key}`, m]]));
}

// more has what a sentence rarely needs.
function more({ values, contract: { faults: { schemas, phases } }, field, choice, wrong }) {
  const when = membersOf(schemas, "FaultWhen", "when").filter(([path]) => path !== "when." + countOf(values) &&
    (values[path] || !counts[path.slice(5)]));
  const { headers } = schemas.FaultThen.properties;
  const all = [...when, ["then.headers", { ...headers, type: "object" }], ["name", schemas.FaultRule.properties.name]];
  const open = values.operation?.includes(",") || [...all, ["phase"]].some(([path]) => values[path] || wrong.some((p) =>
    p.path.startsWith(path)));
  return html`<details open=${open || undefined}>
    <summary>More: several operations, conditions, phase, headers, name</summary>
    <div class="fields">
      ${!isStub(values) && html`${field("operation", "Operations", { hint: "Names and families, with commas between them." })}
        ${choice("phase", "Phase", phases.map(({ phase }) => [phase, `${phase} the operation`]), values.phase || "before",
        { hint: phases.find((p) => p.phase === (values.phase || "before")).about })}`}
      ${all.map(([path, m]) => field(path, path.replace(/^(when|then)\./, "").replace(/^./, (c) => c.toUpperCase()).replaceAll(".", ": "),
        { as: m.type === "object" ? "textarea" : "input", placeholder: m.examples?.[0],
          hint: m.description + (m.type === "object" ? " A line for each: name: value." : "") }))}
    </div>
  </details>`;
}
