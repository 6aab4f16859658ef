// One exchange of the journal: what was asked and answered, why, what it changed, and what to do with it.

import { html, useEffect, useRef } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { go, href } from "../route.js";
import { Basis, Button, Code, Facts, Loaded, Problem, Status, Tag, day, micros, plural, pretty } from "../ui.js";
import { Row, RowChange } from "./changes.js";
import { ruleParams } from "./fault-rule.js";
import { Send } from "./send.js";

// queryOf returns the query of a URL, with its question mark.
export const queryOf = (url) => (url.includes("?") ? url.slice(url.indexOf("?")) : "");

export function Exchange({ sandbox, id, params, onClose }) {
  const why = useCall(at(sandbox, ["journal", id, "why"]));
  const box = useRef(null);
  useEffect(() => box.current?.closest("aside")?.scrollTo(0, 0), [id]);
  return html`<div class="exchange" ref=${box}>
    <header class="exchange-head"><h2 tabindex="-1">${why.data?.title || `Exchange ${id}`}</h2><button type="button" class="small"
      onClick=${onClose} aria-label="Close the exchange">Close</button></header>
    ${why.error?.status === 404
      ? html`<p class="note" role="alert">The journal no longer has exchange ${id}: newer ones have taken its place, it was cleared, or
        the sandbox was reset. ${" "}<button type="button" class="link" onClick=${why.reload}>Look again</button></p>`
      : html`<${Loaded} from=${why}>${(data) => html`<${Explained} sandbox=${sandbox} of=${data} params=${params} />`}<//>`}
  </div>`;
}

function Explained({ sandbox, of, params }) {
  const x = of.exchange;
  const d = x.decision;
  const link = (token) => href("bank", sandbox, { token });
  const fork = useAction(async () => {
    const made = await call(at(sandbox, ["fork"]), { body: { before: x.id } });
    go("bank", made.name);
    return `Sandbox ${made.name} is the bank as it was before exchange ${x.id}.`;
  });
  return html`<p class="sentence">${of.sentence}</p>
    <div class="actions">
      ${of.copies.fault && html`<a class="button" href=${href("faults", sandbox, ruleParams(of.copies.fault))}>Make the next one fail</a>`}
      ${d.rule === "path-unknown" && html`<a class="button" href=${href("faults", sandbox, { method: x.request.method,
        path: x.request.path, status: 200, "then.body": "{}" })}>Stub this</a>`}
      <${Button} busy=${fork.busy} onClick=${fork.run}>Fork the bank as it was before this<//>
    </div>
    <${Problem} error=${fork.error} />
    <${Send} again sandbox=${sandbox} request=${{ ...x.request, path: x.request.path + queryOf(x.request.url) }} />
    <${Facts}
      of=${[
        ["Exchange", html`${x.id} <span
          class="quiet">at ${day(x.at)} virtual time (${day(x.realAt)} real), answered in ${micros(x.tookMicros)}</span>`],
        ["Operation", x.operation && html`<a href=${href("contract", sandbox, { op: x.operation })}>${x.operation}</a>`],
        ["Outcome", html`<${Tag} kind=${{ accepted: "ok", refused: "warn" }[d.outcome] || "bad"}>${d.outcome}<//>`],
        ["Rule", d.rule && html`<code>${d.rule}</code>`],
        ["Row", d.row && html`<${Row} sandbox=${sandbox} of=${d.row} />`],
        ["Rests on", html`<${Basis} of=${of.basis.name} /> <span class="quiet">${of.basis.about}</span>`],
      ]}
    />
    ${of.faults.length > 0 &&
    html`<h3>Faults that fired</h3>
      <ul>${of.faults.map((f) => html`<li><a href=${href("faults", sandbox, { fault: f.name })}>${f.name}</a> ${f.effect}</li>`)}</ul>`}
    ${of.lints.length > 0 &&
    html`<h3>Odd about the request</h3>
      <ul>${of.lints.map((l) => html`<li><${Tag}>${l.code}<//> ${l.message}</li>`)}</ul>`}
    <h3>What it changed</h3>
    ${(of.changes || []).map((c) => html`<${RowChange} key=${c.row} sandbox=${sandbox} of=${c} />`)}${!of.changes?.length && html`<p
      class="quiet">${of.changes ? "Nothing." : "It isn't known: the exchange came before this process."}</p>`}
    <h3>Request</h3>
    <p class="mono line">${x.request.method} ${x.request.url}</p>
    <${Message} of=${x.request} what="request" link=${link} />
    <h3>Answer</h3>
    ${x.response.status === 0 ? html`<p><${Status} of=${0} /> Nothing was sent.</p>` : html`<p><${Status}
      of=${x.response.status} /></p><${Message} of=${x.response} what="answer" link=${link} />`}
    <h3>What the ledger says</h3>
    ${of.entries.length === 0 && html`<p class="quiet">Nothing: no entry decided.</p>`}
    ${of.entries.map((e, i) => html`<${Entry} key=${e.id} of=${e} open=${i === 0} />`)}
    <${Copies} of=${of.copies} />`;
}

// Message shows headers and body. Secrets are fingerprints already.
function Message({ of, what, link }) {
  const headers = Object.entries(of.headers).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
  return html`<${Code} label=${`headers of the ${what}`} text=${headers.join("\n") || "no headers"} link=${link} />
    ${of.body === ""
      ? html`<p class="quiet">No body.</p>`
      : html`<${Code} label=${`body of the ${what}`} text=${pretty(of.body)} link=${link} />
          ${of.bodyTruncated &&
            html`<p class="note">Only its beginning: the journal keeps that of the ${plural(of.bodyBytes, "byte")}.</p>`}`}`;
}

function Entry({ of, open }) {
  return html`<details class="entry" open=${open}>
    <summary>${of.question}</summary>
    <p>${of.answer}</p>
    <${Facts}
      of=${[
        ["Basis", html`<${Basis} of=${of.basis} /> ${of.source}`],
        ["Entry", html`<code>${of.id}</code>`],
        of.switch ? ["Switch", html`<code>${of.switch.key}: ${of.switch.value}</code>${of.switch.value !== of.switch.default &&
          html` (by default ${of.switch.default})`}`] : ["", ""],
        of.switch ? ["Instead", html`<ul class="plain">${of.switch.alternatives.map((a) =>
          html`<li><code>${a.value}</code> ${a.answer}</li>`)}</ul>`] : ["", ""],
      ]}
    />
  </details>`;
}

// Copies are the exchange as something to go on with.
function Copies({ of }) {
  return html`<h3>Send it again by curl</h3>
    <${Code} label="curl" text=${of.curl} />
    ${of.notes.map((note) => html`<p class="hint">${note}</p>`)}`;
}
