// The form of the page Faults: a rule as a sentence with fields.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction } from "../hooks.js";
import { change, go } from "../route.js";
import { Button, Code, Field, Form, Options, Problem } from "../ui.js";
import { definition, brokenJSON, isStub, ofOne, ruleOf, ruleParams, yaml } from "./fault-rule.js";

// The words of a count before its number.
const countWords = { first: "The first", nth: "Only number", every: "One in every", after: "All after the first" };

const countOf = (values) => values.count ?? (Object.keys(countWords).find((key) => values["when." + key]) || "");

// isOneCall reports whether the sentence is about one call: The first call answers.
const isOneCall = (count, number) => count === "nth" || count === "every" || (count === "first" && number === "1");

// textFields returns a function that draws fields. Each has a path, a label and an example.
const textFields = (...fields) => ({ field }) => fields.map(([path, label, example]) =>
  field(path, label, { placeholder: example, size: Math.max(8, String(example).length) }));

const percentiles = textFields(["then.delay.p50", "p50", "200ms"], ["then.delay.p95", "p95", "800ms"]);
const lognormal = textFields(["then.delay.lognormal.median", "Median", "200ms"],
  ["then.delay.lognormal.sigma", "Sigma", "0.6"]);

// What a rule does to calls: words, a pattern for its paths, and fields or values to set.
const effectChoices = {
  answer: { text: "answer", paths: /^then\.(status|error)/, fields: answerFields },
  body: { text: "answer, with a body of your own,", paths: /^(then\.(status|body)|answer)/, sets: { answer: "body" },
    fields: bodyFields },
  forward: { text: "are forwarded to", paths: /^then\.forward/, fields: forwardFields, ofStubs: true },
  delay: { text: "are delayed by", paths: /^then\.delay$/, fields: textFields(["then.delay", "Delay", "250ms"]) },
  uniform: { text: "are delayed by a time in", paths: /^then\.delay\.u/,
    fields: textFields(["then.delay.uniform", "From, to", "100ms, 2s"]) },
  percentiles: { text: "are delayed by percentiles", paths: /^then\.delay\.p/, fields: percentiles },
  lognormal: { text: "are delayed by a lognormal time", paths: /^then\.delay\.l/, fields: lognormal },
  connection: { text: "lose their connection:", paths: /^then\.connection/, fields: connectionFields },
  stale: { text: "get an answer that is old by", paths: /^then\.stale/,
    fields: textFields(["then.stale", "Age", "2s"]) },
  expire: { text: "find their token expired", paths: /^then\.expireToken/, sets: { "then.expireToken": "true" } },
};

// emptied returns the parameters of some paths as empty ones.
function emptied(values, pattern) {
  return Object.fromEntries(Object.keys(values).filter((path) => pattern.test(path)).map((path) => [path, ""]));
}

// pathAt returns the path of a line of the rules that were sent. Each rule before the one of the form is one line.
const pathAt = ({ paths, place }, line) => paths[line - 1 - place] || "";

// concerns reports whether a problem is about a field.
const concerns = (problem, field) => problem.path === field || problem.path.startsWith(field + ".");

// FaultForm adds a rule or changes one. Its state is in the URL, and its choices come from the contract. A problem
// stands at its field. A problem of the sentence stands below the sentence.
export function FaultForm({ sandbox, params, contract, rules, edited, gone, reload }) {
  const element = useRef(null);
  useEffect(() => {
    document.getElementById("card-form").scrollIntoView();
    element.current.querySelector("select").focus({ preventScroll: true });
  }, []);
  const isFilled = Object.keys(params).some((name) => !["edit", "fault", "add"].includes(name));
  const values = edited && !isFilled ? ruleParams(definition(edited)) : params;
  const rule = ruleOf(values);
  const { text, paths } = yaml(rule);
  const place = edited ? rules.indexOf(edited) : 0;
  const [sent, setSent] = useState(null);
  const save = useAction(async () => {
    setSent({ text, paths, place });
    const all = edited ? rules.map((r) => "  - " + JSON.stringify(definition(r))) : []; // JSON is YAML, too
    all[place] = text.slice("faults:\n".length);
    const { faults } = await call(at(sandbox, ["faults"]), { method: edited ? "PUT" : "POST", type: "application/yaml",
      body: "faults:\n" + all.join("\n") });
    reload();
    go("faults", sandbox, { fault: faults[place].name });
    return `${edited ? "Changed" : "Added"} ${faults[place].name}.`;
  });
  const error = sent?.text === text ? save.error : null;
  const problems = (error?.problems || []).map((p) => ({ ...p, path: pathAt(sent, p.line) }));
  const others = otherMembers(values, contract.faults.schemas);
  const isOther = (p) => ["phase", ...others.map(([path]) => path)].some((path) => concerns(p, path));
  const ofSentence = problems.filter((p) => !isOther(p));
  const set = (changed) => change({ ...emptied(params, /^/), ...values, edit: params.edit, fault: "", ...changed },
    { replace: true });
  const draw = (path, label, props) => html`<${Field} key=${path} label=${label} value=${values[path] || ""}
    onInput=${(typed) => set({ [path]: typed })} ...${props} />`;
  const field = (path, label, props) => {
    const i = ofSentence.findIndex((p) => concerns(p, path));
    return draw(path, label, i < 0 ? props : { ...props, "aria-invalid": "true", "aria-describedby": "problem-" + i });
  };
  const choice = (path, label, options, value, props) => field(path, label, { ...props, as: "select", value,
    children: html`<${Options} of=${options} value=${value} />` });
  const lacks = lackOf(rule, values);
  const again = isFilled ? "; Add adds it again" : "";
  const form = { values, contract, field, choice, set };
  return html`<div ref=${element}><${Form} class="fault-form" onSubmit=${save.run}>
    ${gone && html`<p class="note">The rule ${params.edit} is gone${again}.</p>`}
    <div class="sentence">${callFields(form)}${effectFields(form)}</div>
    ${ofSentence.map((p, i) => html`<p id=${"problem-" + i} class="hint bad">${p.message}</p>`)}
    <${OtherFields} values=${values} members=${others} phases=${contract.faults.phases} draw=${draw}
      problems=${problems.filter(isOther)} />
    <${Problem} error=${problems.length === 0 && error} />
    <p class="actions"><${Button} kind="main" type="submit" busy=${save.busy}
      disabled=${Boolean(lacks)}>${edited ? "Save" : "Add"}<//> ${lacks && html`<span class="hint">${lacks}</span>`}</p>
    <h3>As YAML</h3>
    <${Code} label="the rule as YAML" text=${text} />
    <p class="hint">The same text works in a scenario, and in <code>POST …/faults</code>.</p>
  <//></div>`;
}

// lackOf says why a rule can't be added, or returns "".
function lackOf({ then }, values) {
  if (Object.keys(then).length === 0) return "Say what happens to the calls, such as a status or a delay.";
  return brokenJSON(values["then.body"])
    && "The body looks like JSON, and isn’t: mend it, or begin it with another character than { or [.";
}

const methods = [["", "any method"], "GET", "POST", "PUT", "PATCH", "DELETE"];

// callFields draws the beginning of the sentence: the calls.
function callFields({ values, contract, field, choice, set }) {
  const count = countOf(values);
  const number = values["when." + count] || "1";
  const isStubbed = isStub(values);
  const names = contract.operations.map((o) => o.name);
  const families = names.map((name) => name.split(".")[0] + ".*");
  const setCount = (to) => set({ ["when." + count]: "", count: to, ...(to && { ["when." + to]: number }) });
  const setOperation = (to) => set(to === "stub" ? { operation: "", stub: "1", effects: "body", answer: "body" }
    : { stub: "", method: "", path: "", operation: to });
  const counts = [["", "All"], ...Object.entries(countWords)];
  const calls = count && count !== "nth" && number === "1" ? "call of" : "calls of";
  return [
    choice("count", "Calls", counts, count, { onInput: setCount }),
    count && field("when." + count, "Number", { inputmode: "numeric", size: 3 }),
    ` ${count === "nth" ? "of the " : ""}${calls} `,
    choice("operation", "Operation", [["", "all operations"], ["stub", "a path of your own (a stub)"],
      ...new Set([...families, ...names, values.operation].filter(Boolean))], isStubbed ? "stub"
      : values.operation || "", { onInput: setOperation }),
    isStubbed && choice("method", "Method", methods, values.method || ""),
    isStubbed && field("path", "Path", { class: "wide", placeholder: "/v1/accounts/{id}" }),
  ];
}

// effectFields draws the rest of the sentence: what happens to the calls.
function effectFields(form) {
  const { values, set } = form;
  const answer = values["then.body"] !== undefined || values.answer === "body" ? "body" : "answer";
  const isPresent = (key) => Object.keys(values).some((path) => effectChoices[key].paths.test(path));
  const present = Object.keys(effectChoices).filter((key) => key === answer || !/^(answer|body)$/.test(key))
    .filter(isPresent);
  const chosen = (values.effects || present.join() || "answer").split(",");
  const choose = (i) => (to) => {
    const removed = chosen[i] ? emptied(values, effectChoices[chosen[i]].paths) : {};
    const effects = [...chosen.slice(0, i), to, ...chosen.slice(i + 1)].filter(Boolean).join();
    set({ ...removed, ...effectChoices[to]?.sets, effects });
  };
  const count = countOf(values);
  const words = isOneCall(count, values["when." + count] || "1") ? ofOne : (text) => text;
  return [...chosen, ""].flatMap((key, i) => {
    const free = Object.keys(effectChoices).filter((k) => k === key || (!chosen.includes(k)
      && (isStub(values) || !effectChoices[k].ofStubs)));
    const options = free.map((k) => [k, words(effectChoices[k].text)]);
    if (i > 0) options.unshift(["", "nothing else"]);
    return [i > 0 && " and ", html`<${Field} key=${i} as="select" label=${i ? "What else" : "What"} value=${key}
      onInput=${choose(i)}><${Options} value=${key} of=${options} /><//>`, effectChoices[key]?.fields?.(form)];
  });
}

// answerFields draws an error of the bank. The contract offers statuses and codes, and others can be typed.
function answerFields({ values, contract: { operations }, field }) {
  const names = (values.operation || "*").split(",");
  const isNamed = (o) => names.some((name) => name === o.name || (name.endsWith("*")
    && o.name.startsWith(name.slice(0, -1))));
  const errors = operations.filter(isNamed).flatMap((o) => o.errors);
  const ofStatus = errors.filter((e) => String(e.status) === values["then.status"]);
  const code = values["then.error.code"] || ofStatus.find((e) => e.usual)?.code;
  const message = ofStatus.find((e) => e.code === code)?.message;
  const list = (id, pairs) => html`<datalist id=${id}><${Options} of=${[...new Map(pairs)].sort()} /></datalist>`;
  return [
    field("then.status", "Status", { list: "statuses", size: 6, inputmode: "numeric", placeholder: "status" }),
    field("then.error.code", "Code", { list: "codes", size: 14, placeholder: "code",
      hint: code && !values["then.error.code"] && `usually ${code}` }),
    field("then.error.message", "Message", { class: "wide", placeholder: "message",
      hint: message && !values["then.error.message"] && `usually “${message}”` }),
    list("statuses", errors.map((e) => [e.status, e.status])),
    list("codes", ofStatus.map((e) => [e.code, e.message])),
  ];
}

function bodyFields({ values, field }) {
  const broken = brokenJSON(values["then.body"]);
  const variables = isStub(values) && "In JSON, {id} stands for that part of the request if the path has {id}.";
  return [field("then.status", "Status", { size: 5, placeholder: "200" }),
    field("then.body", "Body", { as: "textarea", error: broken, hint: variables })];
}

// forwardFields draws the URL of another service, and the authorities that a rule trusts for it.
function forwardFields({ values, field }) {
  const url = { class: "wide", placeholder: "https://other.example/base" };
  if (values["then.forward.url"] === undefined) return field("then.forward", "URL", url);
  return [field("then.forward.url", "URL", url), field("then.forward.ca", "CA", { as: "textarea" })];
}

// connectionFields draws the kinds of connection faults, and the settings of the kind that is chosen.
function connectionFields({ values, contract: { faults: { connections } }, field, choice, set }) {
  const { kind = "", about, example = {} } = connections.find((c) => c.kind === values["then.connection"]) || {};
  const examples = Object.entries(ruleParams({ then: { connection: example } }));
  const settings = examples.filter(([path]) => path !== "then.connection");
  const onInput = (to) => set({ ...emptied(values, /^then\.connection/), "then.connection": to });
  return [choice("then.connection", "Connection", [["", "choose how"], ...connections.map((c) => c.kind)], kind,
    { onInput, hint: about }), ...textFields(...settings.map(([path, text]) => [path, path.split(".").pop(),
    text]))({ field })];
}

// membersOf returns the members of a schema: [path, member]. In place of an object it has the members of that object.
function membersOf(schemas, name, path) {
  return Object.entries(schemas[name].properties).flatMap(([key, member]) => {
    const inner = `${path}.${key}`;
    return member.$ref ? membersOf(schemas, member.$ref.split("/").pop(), inner) : [[inner, member]];
  });
}

// otherMembers returns the members that the sentence doesn't have: [path, member].
function otherMembers(values, schemas) {
  const isInSentence = (path) => path === "when." + countOf(values) || (countWords[path.slice(5)] && !values[path]);
  return [...membersOf(schemas, "FaultWhen", "when").filter(([path]) => !isInSentence(path)),
    ["then.headers", { ...schemas.FaultThen.properties.headers, type: "object" }],
    ["name", schemas.FaultRule.properties.name], ["required", schemas.FaultRule.properties.required]];
}

// title returns a path for people: when.during.from is During: from.
const title = (path) => path.replace(/^(when|then)\./, "").replace(/^./, (c) => c.toUpperCase()).replaceAll(".", ": ");

// The groups of the other members.
const groups = { "How often": /^when\.(?!during|request)/, "When": /^when\.during/,
  "For which requests": /^when\.request/, "The answer": /^then\./, "The rule": /^(name|required)$/ };

// OtherFields draws what a sentence rarely needs. It unfolds for a value that is not the usual one, and for a problem.
function OtherFields({ values, members, phases, draw, problems }) {
  const phase = phases.find((p) => p.phase === values.phase) || phases[0];
  const isOpen = useRef(false);
  isOpen.current ||= values.operation?.includes(",") || phase !== phases[0] || problems.length > 0
    || members.some(([path]) => path !== "name" && values[path]);
  const errorOf = (path) => problems.filter((p) => concerns(p, path)).map((p) => p.message).join("; ");
  const field = ([path, { type, description, examples, enum: listed }]) => {
    const about = description.replace(/,? in quotes/i, ""); // the form writes the quotes
    const choices = type === "boolean" ? ["true"] : listed;
    const props = type === "object" ? { as: "textarea", hint: about + " A line for each: name: value." }
      : choices ? { as: "select", hint: about,
        children: html`<${Options} of=${["", ...choices]} value=${values[path]} />` }
        : { hint: about, placeholder: examples?.[0] };
    return draw(path, title(path), { ...props, error: errorOf(path) });
  };
  const group = ([legend, paths]) => {
    const fields = members.filter(([path]) => paths.test(path)).map(field);
    return fields.length > 0
      && html`<fieldset><legend>${legend}</legend><div class="fields">${fields}</div></fieldset>`;
  };
  const ofOperations = !isStub(values) && [
    draw("operation", "Operations", { hint: "Names and families, with commas between them." }),
    draw("phase", "Phase", { as: "select", value: phase.phase, hint: phase.about, error: errorOf("phase"),
      children: html`<${Options} of=${phases.map((p) => [p.phase, `${p.phase} the operation`])}
        value=${phase.phase} />` }),
  ];
  return html`<details open=${isOpen.current || undefined}>
    <summary>More: several operations, conditions, phase, headers, name</summary>
    <div class="fields">${ofOperations}</div>
    ${Object.entries(groups).map(group)}
  </details>`;
}
