// The parts that pages are made of.

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { call, save } from "./api.js";
import { say, useAction, useListener } from "./hooks.js";
import { current } from "./route.js";

// Announcer shows the text of say on the page where it was said, for six seconds, or until it is dismissed. The region
// is always there, for screen readers.
export function Announcer({ page }) {
  const [said, set] = useState({});
  const timer = useRef();
  useListener("banksim-say", (event) => {
    clearTimeout(timer.current);
    set({ text: event.detail, on: current().page });
    timer.current = setTimeout(() => set({}), 6000);
  });
  const text = said.on === page && said.text;
  return html`<div class="said">
    <div role="status">${text && html`<p>${text}</p>`}</div>
    ${text && html`<button type="button" class="link" onClick=${() => set({})}>Dismiss</button>`}
  </div>`;
}

// Problem shows a refusal with its problems.
export function Problem({ error }) {
  if (!error) return null;
  return html`<div class="problem" role="alert">
    <p>${error.message}</p>
    ${error.problems?.length > 0 && html`<ul>
      ${error.problems.map((p) => html`<li><${Place} of=${p} />${p.message}</li>`)}
    </ul>`}
  </div>`;
}

// Place is the file and the line of a problem, if they are known.
function Place({ of }) {
  if (!of.line) return of.file ? html`<span class="place">${of.file}: </span>` : null;
  return html`<span class="place">${of.file}:${of.line}${of.column ? `:${of.column}` : ""} </span>`;
}

// Loaded shows the result of useCall: a refusal, a wait, or what the child function returns for the data. If there is
// data, the frame alone says that the simulator doesn't answer any more.
export function Loaded({ from: { data, error }, children }) {
  if (data === null && !error) return html`<p class="quiet">Loading…</p>`;
  if (data === null) return html`<${Problem} error=${error} />`;
  return html`<${Problem} error=${error?.status !== 0 && error} />${children(data)}`;
}

// Card is a titled part of a page.
export function Card({ title, actions, children, id }) {
  const name = id || "card-" + title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return html`<section class="card" aria-labelledby=${name}>
    <header><h2 id=${name}>${title}</h2>${actions && html`<div class="actions">${actions}</div>`}</header>
    ${children}
  </section>`;
}

const statusKinds = ["accent", "", "ok", "accent", "warn", "bad"];

// Status shows a status of HTTP; 0 is a lost answer. kind is a kind of Tag, by default the one of the status.
export function Status({ of, kind = statusKinds[Math.floor(of / 100)] }) {
  return html`<span class=${`status ${kind}`}>${of || "lost"}</span>`;
}

// Tag is a short word about something, such as a state. kind is ok, warn, bad, plain or accent.
export function Tag({ kind = "plain", children, title }) {
  return html`<span class=${`tag ${kind}`} title=${title}>${children}</span>`;
}

const basisKinds = { document: "ok", published: "accent", convention: "plain", choice: "warn" };

// Basis shows the kind of source that an answer rests on.
export function Basis({ of }) {
  return html`<${Tag} kind=${basisKinds[of] || "plain"} title="what the answer rests on">${of}<//>`;
}

// Button does something. kind is main, danger or "".
export function Button({ onClick, busy, disabled, kind = "", children, title, type = "button" }) {
  return html`<button type=${type} class=${kind} title=${title} onClick=${onClick} disabled=${disabled || busy}
    aria-busy=${busy ? "true" : undefined}>${children}</button>`;
}

// Download saves the JSON of a call. It isn't a link, because a link can't send the control token.
export function Download({ from, name, children }) {
  const get = useAction(async () => {
    save(name, JSON.stringify(await call(from), null, 2), "application/json");
    return `${name} was saved.`;
  });
  return html`<${Button} busy=${get.busy} onClick=${get.run}>${children}<//><${Problem} error=${get.error} />`;
}

// Sure is a button that asks once more, in its own place, before it does something that can't be undone.
export function Sure({ onClick, busy, kind, children, question = "Really?" }) {
  const [asked, ask] = useState(false);
  useEffect(() => {
    if (!asked) return undefined;
    const timer = setTimeout(() => ask(false), 5000);
    return () => clearTimeout(timer);
  }, [asked]);
  const sure = () => {
    ask(false);
    onClick();
  };
  if (asked) return html`<${Button} kind="danger" busy=${busy} onClick=${sure}>${question}<//>`;
  return html`<${Button} kind=${kind} busy=${busy} onClick=${() => ask(true)}>${children}<//>`;
}

let fields = 0;

// Field is a control with a label. as is "input", "select" or "textarea".
export function Field({ label, hint, as = "input", value, onInput, children, error, ...rest }) {
  const id = useRef("field-" + (fields += 1)).current;
  const about = hint || error ? id + "-about" : undefined;
  // A browser heeds autofocus only while it loads a page.
  useEffect(() => rest.autofocus && document.getElementById(id).focus(), []);
  const set = (event) => onInput(event.target.value);
  const props = { id, value, "aria-describedby": about, "aria-invalid": error ? "true" : undefined, ...rest };
  let control;
  if (as === "select") control = html`<select ...${props} onChange=${set}>${children}</select>`;
  else if (as === "textarea") control = html`<textarea ...${props} onInput=${set} spellcheck="false"></textarea>`;
  else control = html`<input type="text" autocomplete="off" spellcheck="false" ...${props} onInput=${set} />`;
  return html`<div class="field">
    <label for=${id}>${label}</label>${control}
    ${about && html`<p id=${about} class=${error ? "hint bad" : "hint"}>${error || hint}</p>`}
  </div>`;
}

// Options are the options of a select: texts, or [value, text].
export function Options({ of, value }) {
  return of.map((option) => {
    const [key, text] = Array.isArray(option) ? option : [option, option];
    return html`<option value=${key} selected=${String(value) === String(key)}>${text}</option>`;
  });
}

// Check is a labelled checkbox.
export function Check({ label, checked, onChange, disabled, hint }) {
  return html`<label class="check">
    <input type="checkbox" checked=${checked} disabled=${disabled}
      onChange=${(event) => onChange(event.target.checked)} />
    ${" "}${label}${hint && html` <span class="hint">${hint}</span>`}
  </label>`;
}

// Form calls onSubmit, if it is given, when it is sent.
export function Form({ onSubmit, children, ...rest }) {
  return html`<form ...${rest} onSubmit=${(event) => {
    event.preventDefault();
    onSubmit?.();
  }}>${children}</form>`;
}

// copy puts text on the clipboard. A page without https can't write there, so it selects the text and copies that.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say("Copied.");
}

// Copy is a button that copies a text.
export function Copy({ text, label = "Copy", what = "" }) {
  return html`<button type="button" class="small" onClick=${() => copy(text)}
    aria-label=${what ? `${label} ${what}` : undefined}>${label}</button>`;
}

// Code shows text and a button to copy it. It can have the focus, so that it can be scrolled by keyboard. link, if it
// is given, returns the URL for the fingerprint of a secret.
export function Code({ text, label, plain, link }) {
  const parts = link ? text.split(/\b(tok_[0-9a-f]{12})\b/) : [text];
  return html`<div class="code">
    <pre tabindex="0" role="group" aria-label=${label}><code>
      ${parts.map((part, i) => (i % 2 ? html`<a href=${link(part)}>${part}</a>` : part))}
    </code></pre>
    ${!plain && html`<${Copy} text=${text} what=${label} />`}
  </div>`;
}

// pretty returns a body for people: indented if it is JSON.
export function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

// Table has a caption for screen readers. columns are texts, or {title, number: true}. The cells of a narrow table are
// below each other in a narrow window.
export function Table({ caption, columns, children, empty, narrow }) {
  const rows = [children].flat(2).filter(Boolean);
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
    <table class=${narrow ? "narrow" : ""}>
      <caption class="unseen">${caption}</caption>
      <thead>
        <tr>${columns.map((c) => html`<th scope="col" class=${c.number ? "number" : ""}>${c.title ?? c}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.length > 0 ? rows : html`<tr><td class="quiet" colspan=${columns.length}>${empty || "None."}</td></tr>`}
      </tbody>
    </table>
  </div>`;
}

// Facts is a list of names and values. A name without a value is left out.
export function Facts({ of }) {
  return html`<dl class="facts">
    ${of.filter(([, value]) => value !== undefined && value !== null && value !== "").map(([name, value]) =>
      html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

// breakable returns a path or a URL that wraps after a slash.
export const breakable = (path) => path.split("/").map((part, i) => [i > 0 && html`/<wbr />`, part]);

// micros returns a time in microseconds for people.
export function micros(n) {
  if (n < 1000) return `${n} µs`;
  if (n < 1000000) return `${(n / 1000).toPrecision(3)} ms`;
  return `${(n / 1000000).toPrecision(3)} s`;
}

// clock returns the time of day of an RFC 3339 time, in UTC as everywhere in banksim.
export function clock(time) {
  return time.slice(11, 19);
}

// day returns an RFC 3339 time for people, in UTC.
export function day(time) {
  return time.slice(0, 10) + " " + time.slice(11, 19);
}

// plural returns a number with its noun.
export function plural(n, one, many = one + "s") {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

// Tabs are links to the parts of a page: [key, title, href].
export function Tabs({ label, of, value }) {
  return html`<div class="tabs" role="navigation" aria-label=${label}>
    ${of.map(([key, title, to]) => html`<a key=${key} href=${to}
      aria-current=${key === value ? "true" : undefined}>${title}</a>`)}
  </div>`;
}

// Row is a row of a table, or another element. One that is marked is scrolled to, unless scroll is "".
export function Row({ as = "tr", marked, scroll = "center", children }) {
  const ref = useRef(null);
  useEffect(() => {
    if (marked && scroll) ref.current.scrollIntoView({ block: scroll });
  }, [marked]);
  return html`<${as} ref=${ref} class=${marked ? "chosen" : ""} aria-current=${marked ? "true" : undefined}>
    ${children}
  <//>`;
}

const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

// When shows about how long ago a time was, or how far ahead it is. The time itself is its title.
export function When({ at }) {
  const ahead = (Date.parse(at) - Date.now()) / 1000;
  const [unit, size] = units.find((u) => Math.abs(ahead) >= u[1]) || ["second", 1];
  const text = new Intl.RelativeTimeFormat("en").format(Math.round(ahead / size), unit);
  return html`<time datetime=${at} title=${day(at) + " UTC"}>${text}</time>`;
}
