// One exchange of the journal: the cause of the answer, what to do about it, and the evidence.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { at, call, query } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { go, href } from "../route.js";
import { Basis, Button, Code, Copy, Facts, Loaded, Problem, Status, Sure, Tabs, Tag } from "../ui.js";
import { day, micros, plural, pretty } from "../ui.js";
import { RowChange, RowLink } from "./changes.js";
import { kindOf, queryOf } from "./exchanges.js";
import { ruleParams } from "./fault-rule.js";
import { Send } from "./send.js";

// Exchange is the panel about an exchange. With focused, its heading gets the focus.
export function Exchange({ sandbox, id, params, focused, onClose }) {
  const why = useCall(at(sandbox, ["journal", id, "why"]));
  const box = useRef(null);
  const tab = (part) => href("journal", sandbox, { ...params, part });
  const Part = params.part === "evidence" ? Evidence : Why;
  useEffect(() => {
    const aside = box.current.closest("aside");
    aside.scrollTo(0, 0);
    if (aside.getBoundingClientRect().top < 0) aside.scrollIntoView(); // in a narrow window, where it covers the list
    if (focused) box.current.querySelector("h2").focus({ preventScroll: true });
  }, [id]);
  return html`<div class="exchange" ref=${box}>
    <header class="exchange-head">
      <h2 tabindex="-1">${why.data?.title || `Exchange ${id}`}</h2>
      <span class="row">
        ${why.data && html`<${Copy} text=${why.data.copies.curl} label="Copy as curl" />`}
        <button type="button" class="small" onClick=${onClose}>
          <span class="beside">Close</span><span class="above">Back</span>
        </button>
      </span>
    </header>
    ${why.error?.status === 404
      ? html`<p class="note" role="alert">The journal no longer has exchange ${id}: newer ones have taken its place, it
          was cleared, or the sandbox was reset.
          ${" "}<button type="button" class="link" onClick=${why.reload}>Look again</button></p>`
      : html`<${Loaded} from=${why}>${(data) => html`
          <${Tabs} label="About the exchange" value=${params.part || "why"}
            of=${[["why", "Why", tab("")], ["evidence", "Evidence", tab("evidence")]]} />
          <${Part} sandbox=${sandbox} of=${data} />`}<//>`}
  </div>`;
}

// Why shows the cause of an answer, buttons for the next steps, and the messages and rows of the exchange.
function Why({ sandbox, of }) {
  const x = of.exchange;
  const link = (token) => href("bank", sandbox, { token });
  const [done, set] = useState("");
  const act = useAction(async (label, path, options) => {
    await call(at(sandbox) + path, options);
    set(label);
    rules.reload();
  });
  const fork = useAction(async () => {
    const made = await call(at(sandbox, ["fork"]), { body: { before: x.id } });
    go("bank", made.name);
    return `Sandbox ${made.name} is the bank as it was before exchange ${x.id}.`;
  });
  const rules = useCall(of.faults.length > 0 ? at(sandbox, ["faults"]) : null);
  const names = (rules.data?.faults || []).map((rule) => rule.name);
  const isUnknown = x.decision.rule === "path-unknown";
  const stub = { method: x.request.method, path: x.request.path, "then.status": 200, "then.body": "{}" };
  const remove = (name) => act.run(`Remove fault ${name}`, "/faults" + query({ name }), { method: "DELETE" });
  return html`<p class="cause">${of.cause}</p>
    ${of.faults.filter((f) => !of.cause.includes(f.effect)).map((f) =>
      html`<p><strong>${f.name}</strong> ${f.effect}.</p>`)}
    <div class="actions">
      ${isUnknown && html`<a class="button main" href=${href("faults", sandbox, stub)}>Stub this</a>`}
      ${(of.fixes || []).map((f) => html`<${Button} kind="main" busy=${act.busy}
        onClick=${() => act.run(f.label, f.path, { method: f.method, body: f.body })}>${f.label}<//>`)}
      ${of.faults.filter((f) => names.includes(f.name)).map(({ name }) => html`<${Sure} key=${name} busy=${act.busy}
        question=${`Really remove ${name}?`} onClick=${() => remove(name)}>Remove fault ${name}<//>`)}
      ${of.copies.fault && html`<a class="button" href=${href("faults", sandbox, ruleParams(of.copies.fault))}>
        Make the next one fail</a>`}
      <${Button} busy=${fork.busy} onClick=${fork.run}>Fork the bank as it was before this<//>
    </div>
    <${Problem} error=${act.error || fork.error} />
    ${done && html`<p class="note done" role="status">Done: ${done}. Send it again to see the new answer.</p>`}
    <${Send} again kind=${isUnknown || of.fixes?.length > 0 ? "" : "main"} needsToken=${/^token-/.test(x.decision.rule)}
      sandbox=${sandbox} request=${{ ...x.request, path: x.request.path + queryOf(x.request.url) }} />
    <h3>What exchange ${x.id} changed</h3>
    ${of.changes?.map((c) => html`<${RowChange} key=${c.row} sandbox=${sandbox} of=${c} />`)}
    ${!of.changes?.length && html`<p class="quiet">
      ${of.changes ? "Nothing."
        : "It isn't known: the exchange came before this process, or before the last 1,000 changes."}</p>`}
    <h3>Request</h3>
    <p class="mono line">${x.request.method} ${x.request.url}</p>
    <${Message} of=${x.request} what="request" link=${link} />
    <h3>Answer <small class="quiet">after ${micros(x.tookMicros)}</small></h3>
    <p><${Status} of=${x.response.status} kind=${kindOf(x)} />${x.response.status === 0 && " Nothing was sent."}</p>
    ${x.response.status !== 0 && html`<${Message} of=${x.response} what="answer" link=${link} />`}`;
}

// Message shows headers and body. Secrets are fingerprints already.
function Message({ of, what, link }) {
  const headers = Object.entries(of.headers).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
  return html`<${Code} label=${`headers of the ${what}`} text=${headers.join("\n") || "no headers"} link=${link} />
    ${of.body === "" ? html`<p class="quiet">No body.</p>`
      : html`<${Code} label=${`body of the ${what}`} text=${pretty(of.body)} link=${link} />`}
    ${of.bodyTruncated && html`<p class="note">
      The journal has only the beginning of the ${plural(of.bodyBytes, "byte")}.</p>`}`;
}

// Evidence shows the statements that the answer rests on.
function Evidence({ sandbox, of }) {
  const x = of.exchange;
  return html`<${Facts}
      of=${[
        ["Exchange", html`${x.id} <span class="quiet">at ${day(x.at)} bank time, ${day(x.realAt)} real time</span>`],
        ["Operation", html`<a href=${href("contract", sandbox, { op: x.operation })}>${x.operation || "none"}</a>`],
        ["User", x.user],
        ["Outcome", x.decision.outcome],
        ["Rule", x.decision.rule && html`<code>${x.decision.rule}</code>`],
        ["Row", x.decision.row && html`<${RowLink} sandbox=${sandbox} of=${x.decision.row} />`],
        ["Rests on", html`<${Basis} of=${of.basis.name} /> <span class="quiet">${of.basis.about}</span>`],
      ]}
    />
    ${of.lints.length > 0 && html`<h3>Odd about the request</h3>
      <ul>${of.lints.map((l) => html`<li><${Tag}>${l.code}<//> ${l.message}</li>`)}</ul>`}
    <h3>What the ledger says</h3>
    ${of.entries.length === 0 && html`<p class="quiet">Nothing: no entry decided.</p>`}
    ${of.entries.map((e, i) => html`<${Entry} key=${e.id} of=${e} open=${i === 0} />`)}
    <h3>Send it by curl</h3>
    <${Code} label="curl" text=${of.copies.curl} />
    ${of.copies.notes.map((note) => html`<p class="hint">${note}</p>`)}`;
}

// Entry is an entry of the ledger.
function Entry({ of, open }) {
  const s = of.switch;
  const chosen = s && (s.value === s.default ? "" : ` (by default ${s.default})`);
  return html`<details class="entry" open=${open}>
    <summary>${of.question}</summary>
    <p>${of.answer}</p>
    <${Facts}
      of=${[
        ["Basis", html`<${Basis} of=${of.basis} /> ${of.source}`],
        ["Entry", html`<code>${of.id}</code>`],
        ["Switch", s && html`<code>${s.key}: ${s.value}</code>${chosen}`],
        ["Instead", s && s.alternatives.map((a) => html`<p><code>${a.value}</code> ${a.answer}</p>`)],
      ]}
    />
  </details>`;
}
