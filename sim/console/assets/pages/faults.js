// The page Faults: the rules as sentences, and the form that adds or edits one.

import { html, useEffect, useMemo, useRef } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { change, href } from "../route.js";
import { Button, Card, Check, Code, Loaded, Problem, Row, Sure, Tag } from "../ui.js";
import { FaultForm } from "./fault-form.js";
import { definition, ruleParams, sentence, shortDurations, yaml } from "./fault-rule.js";

export function Faults({ sandbox, params }) {
  const rules = useCall(at(sandbox, ["faults"]), { every: 1000 });
  const contract = useCall("v1/operations");
  const verdict = useCall(at(sandbox, ["verdict"]), { every: 3000 });
  const action = useAction(async (said, query, options) => {
    await call(at(sandbox, ["faults"], query), options);
    rules.reload();
    return said;
  });
  const remove = (name) => action.run(name ? `Removed ${name}.` : "There are no faults now.", { name },
    { method: "DELETE" });
  const all = useMemo(() => (rules.data?.faults || []).map(shortDurations), [rules.data]);
  const edited = all.find((rule) => rule.name === params.edit);
  const form = (data) => html`<${FaultForm} key=${params.edit} sandbox=${sandbox} params=${params} contract=${data}
    rules=${all} edited=${edited} gone=${params.edit && rules.data && !edited} reload=${rules.reload} />`;
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
    <//>
    ${verdict.data && html`<${Verdict} of=${verdict.data} />`}`;
}

// Verdict says what a test with this bank would have to fail with, and what may be meant so.
function Verdict({ of: { findings, notes } }) {
  if (findings.length + notes.length === 0) return null;
  const line = (kind) => (found) => html`<li><${Tag} kind=${kind}>${found.kind}<//> ${found.text}</li>`;
  return html`<${Card} title="Verdict">
    <ul>${findings.map(line("bad"))}${notes.map(line("plain"))}</ul>
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
    await replace(order.map(definition), `${rule.name} is number ${i} now.`);
    moved.current = rule.name;
  };
  const turn = (rule, on) => replace(all.map((r) => ({ ...definition(r),
    off: (r === rule ? !on : r.off) || undefined })), `${rule.name} is ${on ? "on" : "off"} now.`);
  if (all.length === 0) return html`<p class="quiet">There are no faults: the bank answers every request by
    itself.</p>`;
  const rows = all.map((rule, i) => html`<${Rule} key=${rule.name} sandbox=${sandbox} rule=${rule} first=${i === 0}
    chosen=${rule.name === chosen} busy=${action.busy} turn=${(on) => turn(rule, on)} raise=${() => raise(rule, i)}
    remove=${() => remove(rule.name)} />`);
  return html`<ol class="rules">${rows}</ol>`;
}

// Rule says what a rule does and how often it did.
function Rule({ sandbox, rule, first, chosen, busy, turn, raise, remove }) {
  const { name, matched, fired, effective, off } = rule;
  const times = `fired ${fired.toLocaleString("en")}`;
  const idle = fired > effective && ` · without effect ${(fired - effective).toLocaleString("en")}`;
  const link = html`<a href=${href("journal", sandbox, { text: `fault:${name}` })}>${times}</a>`;
  const unseen = html`<span class="unseen"> ${name} </span>`;
  const isOff = html`<${Tag}>off<//>`;
  const up = html`<button type="button" disabled=${busy || first} aria-label=${`Move ${name} up`}
    onClick=${raise}>↑</button>`;
  return html`<${Row} as="li" marked=${chosen} scroll="nearest">
    <p>${sentence(rule)} ${off && isOff}</p>
    <p class="hint">${name} · matched ${matched.toLocaleString("en")} · ${fired > 0 ? link : times}${idle}</p>
    <div class="actions">
      <${Check} label=${[unseen, "on"]} checked=${!off} disabled=${busy} onChange=${turn} />
      <a class="button" id=${"edit " + name} href=${href("faults", sandbox, { ...ruleParams(definition(rule)),
        edit: name })}>Edit${unseen}</a>
      <${Sure} busy=${busy} onClick=${remove} question=${`Remove ${name}?`}>Remove<//>
      ${up}
    </div>
    <details><summary>As YAML${unseen}</summary><${Code} label=${`${name} as YAML`}
      text=${yaml(definition(rule)).text} /></details>
  <//>`;
}
