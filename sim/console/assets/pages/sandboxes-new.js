// The form for a new sandbox of the page Sandboxes.

import { html, useState } from "../vendor/preact.js";
import { call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { Button, Field, Loaded, Options, Problem } from "../ui.js";

const own = "\n"; // the choice of YAML, which no scenario can have as its name

export function Create({ onDone, onClose }) {
  const catalogue = useCall("v1/scenarios");
  const [plan, set] = useState({ name: "", scenario: "", yaml: "extends: base\n", seed: "", ttl: "" });
  const of = (member) => (value) => set({ ...plan, [member]: value });
  const create = useAction(async () => {
    const body = {};
    if (plan.name) body.name = plan.name;
    if (plan.scenario === own) body.scenarioYaml = plan.yaml;
    else if (plan.scenario) body.scenario = plan.scenario;
    if (plan.ttl) body.ttl = plan.ttl;
    // A seed can be larger than the numbers of JavaScript, so it is written into the JSON as it is.
    let json = JSON.stringify(body);
    if (plan.seed) json = json.replace(/\}$/, `${json === "{}" ? "" : ","}"seed":${plan.seed}}`);
    const { name } = await call("v1/sandboxes", { body: json, type: "application/json" });
    onDone(name);
    return `Created the sandbox ${name}.`;
  });
  const badSeed = plan.seed && !/^(0|[1-9][0-9]*)$/.test(plan.seed) ? "A whole number." : "";
  const known = catalogue.data?.scenarios || [];
  return html`<form
    class="new-sandbox stack"
    aria-label="New sandbox"
    onSubmit=${(event) => {
      event.preventDefault();
      if (!badSeed) create.run();
    }}
  >
    <${Field} label="Name" value=${plan.name} onInput=${of("name")} placeholder="assigned" hint="1 to 63 of a-z, 0-9 and -." autofocus />
    <${Field} label="Scenario" as="select" value=${plan.scenario} onInput=${of("scenario")} hint=${known.find((s) => s.name === plan.scenario)?.description}>
      <${Options} of=${[["", "the one of the simulator"], ...known.map((s) => s.name), [own, "written here, as YAML"]]} value=${plan.scenario} />
    <//>
    ${plan.scenario === own && html`<${Field} label="YAML of the scenario" as="textarea" value=${plan.yaml} onInput=${of("yaml")} />`}
    <div class="row">
      <${Field} label="Seed" placeholder="the scenario's" value=${plan.seed} onInput=${of("seed")} inputmode="numeric" error=${badSeed} />
      <${Field} label="Lifetime, such as 1h" placeholder="for ever" value=${plan.ttl} onInput=${of("ttl")} />
    </div>
    <${Problem} error=${create.error} />
    <div class="actions"><${Button} kind="main" type="submit" busy=${create.busy}>Create<//><${Button} onClick=${onClose}>Cancel<//></div>
  </form>`;
}
