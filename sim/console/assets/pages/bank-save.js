// The bank as it is now, as a scenario.

import { html, useState } from "../vendor/preact.js";
import { at, call, save } from "../api.js";
import { useAction } from "../hooks.js";
import { go } from "../route.js";
import { Button, Card, Code, Copy, Field, Problem, plural } from "../ui.js";

// shownLines is how much of a long scenario is shown. Copies have all of it.
const shownLines = 400;

export function Save({ sandbox }) {
  const [yaml, setYAML] = useState(null);
  const [name, setName] = useState("");
  const load = useAction(async () => {
    setYAML(await call(at(sandbox, ["state"], { format: "scenario" })));
    return "The scenario was written.";
  });
  const start = useAction(async () => {
    const body = { scenarioYaml: yaml };
    if (name) body.name = name;
    const made = await call("v1/sandboxes", { body });
    go("bank", made.name);
    return `Sandbox ${made.name} was created.`;
  });
  const lines = yaml === null ? 0 : yaml.split("\n").length;
  return html`<${Card} title="Save as scenario" actions=${html`<${Button} kind=${yaml === null ? "main" : ""} busy=${load.busy} onClick=${load.run}>${yaml === null ? "Write the scenario" : "Write it again"}<//>`}>
    <p>The bank as it is now, written as a scenario: a sandbox that starts from it has an equal bank. Secrets are in it only where its own scenario gave them; tokens that were issued since are named in comments.</p>
    <${Problem} error=${load.error} />
    ${yaml !== null && html`
      <form class="row" onSubmit=${(event) => {
        event.preventDefault();
        start.run();
      }}>
        <${Field} label="Name of the new sandbox (empty: any)" value=${name} onInput=${setName} />
        <${Button} kind="main" type="submit" busy=${start.busy}>Start it as a new sandbox<//>
        <${Button} onClick=${() => save(sandbox + ".yaml", yaml, "application/yaml")}>Download<//>
        <${Copy} text=${yaml} what="the scenario" />
      </form>
      <${Problem} error=${start.error} />
      ${lines > shownLines && html`<p class="note">The first ${shownLines} of ${plural(lines, "line")} are shown. Copy and download have all.</p>`}
      <${Code} plain label="the scenario" text=${lines > shownLines ? yaml.split("\n", shownLines).join("\n") : yaml} />
    `}
  <//>`;
}
