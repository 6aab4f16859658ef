// The part of the page Scenario that makes a bank of a capture.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { call, query } from "../api.js";
import { useAction } from "../hooks.js";
import { Button, Card, Check, Problem, Table, plural } from "../ui.js";

const mebibytes = (bytes) => (bytes / 2 ** 20).toLocaleString("en", { maximumFractionDigits: 1 });

// Capture finds the bank behind a file that is dropped or chosen, and calls put with its YAML. A file has at most limit
// bytes.
export function Capture({ limit, put }) {
  const [chosen, choose] = useState({}); // {file, stubs}
  const [found, setFound] = useState(null);
  const [over, setOver] = useState(false);
  const abort = useRef(null);
  useEffect(() => () => abort.current?.abort(), []);
  const find = useAction(async (file, stubs) => {
    choose({ file, stubs });
    setFound(null);
    if (file.size > limit) throw new Error(`${file.name} has ${mebibytes(file.size)} MiB, and a capture may have ${
      mebibytes(limit)}. Record a shorter session.`);
    const { signal } = (abort.current = new AbortController());
    try {
      const name = file.name.replace(/\.[^.]*$/, "");
      const answer = await call("v1/infer" + query({ name, stubs }), { body: file, type: "application/json", signal });
      setFound(answer);
      put(answer.yaml);
      return `The editor has the bank of ${file.name}. Nothing is applied yet.`;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  });
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer.files.length > 0) find.run(event.dataTransfer.files[0], false);
  };
  const hover = (event) => {
    event.preventDefault();
    setOver(true);
  };
  const pick = ({ target }) => {
    if (target.files.length > 0) find.run(target.files[0], false);
    target.value = ""; // so that the same file can be chosen again
  };
  const { file, stubs } = chosen;
  return html`<${Card} title="From a capture">
    <div class=${over ? "drop over" : "drop"} onDragOver=${hover} onDragLeave=${() => setOver(false)} onDrop=${drop}>
      <label for="capture">Drop an HTTP archive (HAR) here, or choose one:</label>
      <input id="capture" type="file" accept=".har,.json,.zip" disabled=${find.busy} onChange=${pick} />
    </div>
    <p role="status">${find.busy && html`Finding the bank behind ${file.name}… <${Button}
      onClick=${() => abort.current.abort()}>Stop<//>`}</p>
    <${Problem} error=${find.error} />
    ${found ? html`<${Found} name=${file.name} ...${found} />` : html`<p class="hint">The editor gets a bank that
      answers the requests as the service did, without its secrets and logins.</p>`}
    ${file && html`<p><${Check} label="Answer requests to other paths by stubs" hint="with the bodies of the capture"
      checked=${stubs} disabled=${find.busy} onChange=${(on) => find.run(file, on)} /></p>`}
  <//>`;
}

const maxRows = 20; // rows of each list

// Found says how many requests the bank answers as the service did, and lists the others.
function Found({ name, rows, agree, unexplained, others, unmasked, stubs, untried, notes, leftOut, faults }) {
  const row = (d) => html`<tr key=${d.exchange}>
    <td data-label="Exchange">${d.exchange}</td><td data-label="Request" class="mono">${d.request}</td>
    <td data-label="What differs">${d.places.map((place) => html`<div>${place}</div>`)}
      ${d.rule && html`<div class="hint">The bank refuses it: ${d.rule}</div>`}</td></tr>`;
  const differ = html`<${Table} narrow caption="Exchanges that the bank answers otherwise"
    columns=${["Exchange", "Request", "What differs"]}>${unexplained.slice(0, maxRows).map(row)}<//>`;
  const list = (title, all) => all.length > 0
    && html`<p>${title}: ${all.slice(0, maxRows).join(", ")}${more(all)}.</p>`;
  const entry = (o) => `exchange ${o.exchange}, ${o.request} (${o.reason})`;
  return html`${notes.map((note) => html`<p class="hint">${note}.</p>`)}
    <p><strong>${name}</strong>: a bank of ${plural(rows, "row")}${stubs > 0 && ` and ${plural(stubs, "stub")}`}. ${
      plural(agree, "answer is", "answers are")} the same, ${plural(unexplained.length, "differs", "differ")}.</p>
    ${untried > 0 && html`<p class="hint">${plural(untried, "value")} may not be needed: the search ended
      before it tried without each.</p>`}
    ${unexplained.length > 0 && differ}${more(unexplained) && html`<p class="hint">${more(unexplained)}</p>`}
    ${faults > 0 && html`<p>${plural(faults, "answer")} of a broken or busy service became faults, which are switched
      off.</p>`}
    ${list("Left out", leftOut.map(entry))}
    ${list("Not requests of the interface", others)}
    ${list("Look at these values, which are those of the capture", unmasked)}`;
}

// more says how many rows of a list are not shown.
const more = (all) => all.length > maxRows && ` and ${all.length - maxRows} more`;
