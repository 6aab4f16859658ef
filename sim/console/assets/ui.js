// The parts that pages are made of.

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { call, save } from "./api.js";
import { say, useAction } from "./hooks.js";

// Announcer shows and says what say was given. The region is always there, as screen readers want it.
export function Announcer() {
  const [text, set] = useState("");
  useEffect(() => {
    let timer;
    const hear = (event) => {
      clearTimeout(timer);
      set(event.detail);
      timer = setTimeout(() => set(""), 6000);
    };
    addEventListener("banksim-say", hear);
    return () => removeEventListener("banksim-say", hear);
  }, []);
  return html`<div class="said" role="status" aria-live="polite">${text && html`<p>${text}</p>`}</div>`;
}

// Problem shows a refusal, with all that was wrong.
export function Problem({ error }) {
  if (!error) return null;
  return html`<div class="problem" role="alert">
    <p>${error.message}</p>
    ${error.problems?.length > 0 &&
    html`<ul>
      ${error.problems.map((p) => html`<li><${Place} of=${p} />${p.message}</li>`)}
    </ul>`}
  </div>`;
}

// Place is where a problem is, if that is known.
export function Place({ of }) {
  if (!of.line) return of.file ? html`<span class="place">${of.file}: </span>` : null;
  return html`<span class="place">${of.file}:${of.line}${of.column ? `:${of.column}` : ""} </span>`;
}

// Loaded shows what was loaded with useCall: a refusal, a wait, or what the child function makes of the data. Where data is
// shown already, the frame alone says that the simulator doesn't answer any more.
export function Loaded({ from, children }) {
  if (from.data !== null) return html`${from.error?.status !== 0 && html`<${Problem} error=${from.error} />`}${children(from.data)}`;
  if (from.error) return html`<${Problem} error=${from.error} />`;
  return html`<p class="quiet">Loading…</p>`;
}

// Card is a titled part of a page.
export function Card({ title, actions, children, id, wide }) {
  const name = id || "card-" + title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return html`<section class=${"card" + (wide ? " wide" : "")} aria-labelledby=${name}>
    <header><h2 id=${name}>${title}</h2>${actions && html`<div class="actions">${actions}</div>`}</header>
    ${children}
  </section>`;
}

// Status shows a status of HTTP; 0 is a lost answer.
export function Status({ of }) {
  const kind = of === 0 ? "lost" : `s${Math.floor(of / 100)}`;
  return html`<span class=${`status ${kind}`}>${of === 0 ? "lost" : of}</span>`;
}

// Tag is a short word about something: an outcome, a basis, a state. kind is ok, warn, bad, plain or accent.
export function Tag({ kind = "plain", children, title }) {
  return html`<span class=${`tag ${kind}`} title=${title}>${children}</span>`;
}

const basisKinds = { document: "ok", published: "accent", convention: "plain", choice: "warn" };

// Basis shows what an answer rests on.
export function Basis({ of }) {
  return html`<${Tag} kind=${basisKinds[of] || "plain"} title="what the answer rests on">${of}<//>`;
}

// Button does something. kind is main, danger or nothing.
export function Button({ onClick, busy, disabled, kind = "", children, title, type = "button" }) {
  return html`<button type=${type} class=${kind} onClick=${onClick} disabled=${disabled || busy} aria-busy=${busy ? "true" : undefined}
    title=${title}>
    ${children}
  </button>`;
}

// Download saves what a call answers. It fetches that, since a link couldn't send the control token.
export function Download({ from, name, children }) {
  const get = useAction(async () => {
    const got = await call(from);
    if (typeof got === "string") save(name, got, "text/html");
    else save(name, JSON.stringify(got, null, 2), "application/json");
    return `${name} was saved.`;
  });
  return html`<${Button} busy=${get.busy} onClick=${get.run}>${children}<//><${Problem} error=${get.error} />`;
}

// Sure is a button that asks once more, in its own place, before it does something that can't be undone.
export function Sure({ onClick, busy, children, question = "Really?" }) {
  const [asked, ask] = useState(false);
  useEffect(() => {
    if (!asked) return undefined;
    const timer = setTimeout(() => ask(false), 5000);
    return () => clearTimeout(timer);
  }, [asked]);
  if (!asked) return html`<${Button} busy=${busy} onClick=${() => ask(true)}>${children}<//>`;
  return html`<${Button}
    kind="danger"
    busy=${busy}
    onClick=${() => {
      ask(false);
      onClick();
    }}
    >${question}<//
  >`;
}

let fields = 0;

// Field is a labelled control: what is in children, by default a text input. as is "input", "select" or "textarea".
export function Field({ label, hint, as = "input", value, onInput, children, error, ...rest }) {
  const id = useRef("field-" + (fields += 1)).current;
  const about = hint || error ? id + "-about" : undefined;
  // A browser heeds autofocus only while it loads a page.
  useEffect(() => rest.autofocus && document.getElementById(id).focus(), []);
  const props = { id, value, onInput: (event) => onInput(event.target.value), "aria-describedby": about, "aria-invalid": error ? "true"
    : undefined, ...rest };
  let control;
  if (as === "select") control = html`<select ...${props} onChange=${props.onInput} onInput=${undefined}>${children}</select>`;
  else if (as === "textarea") control = html`<textarea ...${props} spellcheck="false"></textarea>`;
  else control = html`<input type="text" autocomplete="off" spellcheck="false" ...${props} />`;
  return html`<div class="field">
    <label for=${id}>${label}</label>${control}${(hint || error) && html`<p id=${about}
      class=${error ? "hint bad" : "hint"}>${error || hint}</p>`}
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
  return html`<label class="check"><input type="checkbox" checked=${checked} disabled=${disabled}
    onChange=${(event) => onChange(event.target.checked)} /> ${label}${hint && html` <span class="hint">${hint}</span>`}</label>`;
}

// copy puts text on the clipboard. Where the browser keeps that from pages without https, the text is selected and copied.
export async function copy(text) {
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

// Code shows text as it is, with a button to copy it. It can be scrolled by keyboard, so it is focusable. link, if it is given, returns
// where the fingerprint of a secret leads to.
export function Code({ text, label, plain, link }) {
  const parts = link ? text.split(/\b(tok_[0-9a-f]{12})\b/) : [text];
  return html`<div class="code">
    <pre tabindex="0" role="group" aria-label=${label}><code>${parts.map((part, i) => (i % 2 ? html`<a
      href=${link(part)}>${part}</a>` : part))}</code></pre>
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

// Table has a caption for those who can't see it. columns are texts, or {title, number: true}. In a narrow window, the cells of a narrow
// one are below each other.
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

// Facts is a list of names and values; those whose value is missing are left out.
export function Facts({ of }) {
  return html`<dl class="facts">
    ${of.filter(([, value]) => value !== undefined && value !== null && value !== "").map(([name, value]) =>
      html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

// micros returns a time of so many microseconds for people.
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
    ${of.map(([key, title, to]) => html`<a key=${key} href=${to} aria-current=${key === value ? "true" : undefined}>${title}</a>`)}
  </div>`;
}

// useLast returns the newest data that is there, so that a list stays while another one is loaded. Data of another key isn't
// kept.
export function useLast(data, key) {
  const last = useRef({});
  if (data !== null || last.current.key !== key) last.current = { data, key };
  return last.current.data;
}

// Row is a row of a table. One that is marked is scrolled to.
export function Row({ marked, children }) {
  const ref = useRef(null);
  useEffect(() => {
    if (marked) ref.current.scrollIntoView({ block: "center" });
  }, [marked]);
  return html`<tr ref=${ref} class=${marked ? "chosen" : ""} aria-current=${marked ? "true" : undefined}>${children}</tr>`;
}

const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

// length returns a length of time, given in milliseconds, in its two largest units.
export function length(ms) {
  let left = Math.max(0, Math.floor(ms / 1000));
  const parts = [];
  for (const [unit, size] of units) {
    const n = Math.floor(left / size);
    left -= n * size;
    if (n > 0 || (unit === "s" && parts.length === 0)) parts.push(`${n} ${unit}`);
  }
  return parts.slice(0, 2).join(" ");
}

// When shows about how long ago a time was, or when it comes; the time itself is its title.
export function When({ at }) {
  const ago = Date.now() - Date.parse(at);
  const exact = length(Math.abs(ago));
  const text = parseInt(exact, 10) < 3 ? exact : exact.split(" ").slice(0, 2).join(" ");
  return html`<time datetime=${at} title=${day(at) + " UTC"}>${ago < 0 ? `in ${text}` : `${text} ago`}</time>`;
}
