// Rows of the bank before and after a change.

import { html } from "../vendor/preact.js";
import { href } from "../route.js";
import { Facts, Table, Tag } from "../ui.js";

// members returns the values of a row by their paths, as text.
function members(value, path = "", into = {}) {
  if (value !== null && typeof value === "object" && Object.keys(value).length > 0) {
    for (const [name, inner] of Object.entries(value)) members(inner, path ? `${path}.${name}` : name, into);
  } else if (path) into[path] = JSON.stringify(value);
  return into;
}

// RowLink leads to a row of the bank.
export function RowLink({ sandbox, of }) {
  return html`<a class="mono" href=${href("bank", sandbox, { row: of })}>${of}</a>`;
}

const kinds = { added: "ok", removed: "bad", changed: "warn" };

// RowChange shows a row with the members that differ. The others can be unfolded.
export function RowChange({ sandbox, of: { row, before, after } }) {
  const was = members(before);
  const is = members(after);
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const same = names.filter((name) => was[name] === is[name]);
  const what = before === null ? "added" : after === null ? "removed" : "changed";
  const cell = (values, name, Mark) => html`<td class="mono">
    ${name in values ? html`<${Mark}>${values[name]}<//>` : html`<span class="quiet">not there</span>`}
  </td>`;
  const columns = ["Member", before !== null && "Before", after !== null && "After"].filter(Boolean);
  return html`<div class="change">
    <h4><${RowLink} sandbox=${sandbox} of=${row} /> <${Tag} kind=${kinds[what]}>${what}<//></h4>
    <${Table} caption=${`What differs in ${row}`} columns=${columns}>
      ${names.filter((name) => was[name] !== is[name]).map((name) => html`<tr key=${name}>
        <th scope="row" class="mono">${name}</th>
        ${before !== null && cell(was, name, "del")}${after !== null && cell(is, name, "ins")}
      </tr>`)}
    <//>
    ${same.length > 0 && html`<details>
      <summary>${same.length} more that stayed</summary>
      <${Facts} of=${same.map((name) => [name, is[name]])} />
    </details>`}
  </div>`;
}
