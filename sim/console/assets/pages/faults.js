// The page Faults: the failures that are asked for, how often they fired, and a form for more.

import { html, useRef, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { useKeys } from "../keys.js";
import { change, href } from "../route.js";
import { Card, Code, Field, Loaded, Problem, Sure, Table, Tag } from "../ui.js";
import { FaultForm } from "./fault-form.js";
import { ruleParams, yaml } from "./fault-rule.js";

const most = 200; // rows

export function Faults({ sandbox, params }) {
  const rules = useCall(at(sandbox, ["faults"]), { every: 1000 });
  const contract = useCall("v1/operations");
  const list = useRef(null);
  const step = (by) => {
    const all = [...(list.current?.querySelectorAll("[data-rule]") || [])];
    const now = all.indexOf(document.activeElement);
    all[now < 0 ? 0 : Math.max(0, Math.min(all.length - 1, now + by))]?.focus();
  };
  useKeys({ j: () => step(1), k: () => step(-1), Escape: () => (params.fault ? change({ fault: "" }) : false) });
  const remove = useAction(async (name) => {
    await call(at(sandbox, ["faults", ...(name === undefined ? [] : [name])]), { method: "DELETE" });
    rules.reload();
    if (name === undefined || name === params.fault) change({ fault: "" }, { replace: true });
    return name === undefined ? "There are no faults now." : `Removed ${name}.`;
  });
  return html`<${Card} title="Rules" actions=${rules.data?.faults.length > 0 && html`<${Sure} busy=${remove.busy} onClick=${() => remove.run()} question="Really remove all?">Clear<//>`}>
      <${Problem} error=${remove.error} />
      <div ref=${list}><${Loaded} from=${rules}>${(data) => html`<${Rules} sandbox=${sandbox} params=${params} of=${data.faults} remove=${remove} />`}<//></div>
      <p class="hint">They are tried in this order: the first that fires and has an answer gives it, and delays add up. A reset brings back those of the scenario.</p>
    <//>
    <${Card} title="Add a fault">
      <${Loaded} from=${contract}>${(data) => html`<${FaultForm} sandbox=${sandbox} params=${params} contract=${data} added=${rules.reload} />`}<//>
    <//>`;
}

// brief returns the paths of a part of a rule with their values, for a row.
function brief(part, of) {
  const texts = Object.entries(ruleParams({ [part]: of || {} })).map(([path, text]) => `${path.slice(part.length + 1)} ${text}`);
  return texts.join(", ").replaceAll("\n", "; ");
}

function Rules({ sandbox, params, of, remove }) {
  const [all, showAll] = useState(false);
  const [filter, setFilter] = useState("");
  const found = of.filter((rule) => JSON.stringify(rule).toLowerCase().includes(filter.toLowerCase()));
  const shown = all ? found : found.slice(0, most);
  return html`${of.length > 8 && html`<${Field} label="Filter the rules" value=${filter} onInput=${setFilter} data-filter />`}
    <${Table} caption="Fault rules in their order" columns=${["Name", "Operation", "When", "Then", { title: "Matched", number: true }, { title: "Fired", number: true }, { title: html`<span class="unseen">Remove</span>` }]} empty=${of.length > 0 ? "No rule is like that." : "No faults: every request is answered as the bank does. Add one below."}>
      ${shown.map((rule) => html`<${Rule} key=${rule.name} sandbox=${sandbox} rule=${rule} open=${rule.name === params.fault} params=${params} remove=${remove} />`)}
    <//>
    ${found.length > shown.length && html`<p><button type="button" class="link" onClick=${() => showAll(true)}>Show all ${found.length}</button></p>`}`;
}

function Rule({ sandbox, rule, open, params, remove }) {
  const { matched, fired, ...own } = rule;
  return html`<tr class=${open ? "chosen" : ""}>
      <td><button type="button" class="link" data-rule aria-expanded=${open} onClick=${() => change({ fault: open ? "" : rule.name })}>${rule.name}</button></td>
      <td>${[rule.operation ?? "all"].flat().join(", ")}</td>
      <td>${brief("when", rule.when) || "always"}</td>
      <td>${rule.phase && html`<${Tag}>${rule.phase}<//> `}${brief("then", rule.then)}</td>
      <td class="number">${matched.toLocaleString("en")}</td>
      <td class="number">${fired > 0 ? html`<a href=${href("journal", sandbox, { text: rule.name })} title="Those in the journal">${fired.toLocaleString("en")}</a>` : "0"}</td>
      <td><${Sure} busy=${remove.busy} onClick=${() => remove.run(rule.name)} question=${`Remove ${rule.name}?`}>Remove<//></td>
    </tr>
    ${open &&
    html`<tr class="chosen"><td colspan="7"><${Code} label=${`${rule.name} as YAML`} text=${yaml(own).text} />
      <p class="hint">Secrets are fingerprints here. <a href=${href("faults", sandbox, { ...ruleParams(own), name: "", fault: params.fault })}>Begin another one like it</a></p></td></tr>`}`;
}
