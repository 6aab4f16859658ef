// A form that sends a request to the bank, as an app would.

import { html, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { href } from "../route.js";
import { Button, Code, Facts, Field, Options, Problem, Status, micros, pretty } from "../ui.js";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

// The simulator sets these headers by itself.
const own = /^(connection|content-length|host|keep-alive|te|trailer|transfer-encoding|upgrade|banksim-sandbox)$/i;

// pairs returns the names and values of {name: [values]} or {name: value}.
const pairs = (of) => Object.entries(of || {}).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));

// Send sends a request: {method, path, headers, body}. Its path has the query. With again, it is one of the journal, whose form is folded.
// In place of secrets it may have fingerprints, which the simulator knows; it asks for those that it doesn't.
export function Send({ sandbox, request, again }) {
  const [plan, set] = useState({ method: request.method, path: request.path, body: request.body || "",
    headers: pairs(request.headers).filter(([name]) => !own.test(name)).map((pair) => pair.join(": ")).join("\n") });
  const [secrets, know] = useState({});
  const [answer, setAnswer] = useState(null);
  const of = (member) => (value) => set({ ...plan, [member]: value });
  const send = useAction(async () => {
    setAnswer(null);
    const headers = {};
    for (const [, name, value] of plan.headers.matchAll(/^([^:\n]+):[ \t]*(.*)$/gm)) (headers[name.trim()] ||= []).push(value);
    const given = Object.fromEntries(Object.entries(secrets).filter(([, s]) => s.text).map(([fingerprint, s]) => [fingerprint, s.text]));
    try {
      const got = await call(at(sandbox, ["requests"]), { body: { ...plan, headers, secrets: given } });
      setAnswer(got);
      return got.response ? `The bank answered ${got.response.status}.` : `No answer: ${got.lost}.`;
    } catch (error) {
      const [, place, fingerprint] = (error.status === 409 && error.message.match(/^(.+?): .*(tok_[0-9a-f]{12})/)) || [];
      if (place) know({ ...secrets, [fingerprint]: { place, text: "" } });
      throw error;
    }
  });
  const authorize = (value) => set({ ...plan, headers: plan.headers.replace(/^authorization:.*\n?/gim, "").trim() +
    `\nauthorization: ${value}` });
  const fields = html`<div class="fields send">
      <${Field} as="select" label="Method" value=${plan.method} onInput=${of("method")}><${Options} value=${plan.method}
        of=${methods.includes(plan.method) ? methods : [plan.method, ...methods]} /><//>
      <${Field} label="Path, with the query" value=${plan.path} onInput=${of("path")} />
    </div>
    <${Field} as="textarea" label="Headers, one in a line" value=${plan.headers} onInput=${of("headers")} />
    ${!again && html`<${Credentials} sandbox=${sandbox} set=${authorize} />`}
    <${Field} as="textarea" label="Body" value=${plan.body} onInput=${of("body")}
      error=${request.bodyTruncated && "The journal has only its beginning."} />`;
  return html`<form onSubmit=${(event) => {
      event.preventDefault();
      send.run();
    }}>
      ${again ? html`<details open=${request.bodyTruncated}><summary>Edit the request before it is sent again</summary>${fields}</details>`
        : fields}
      ${Object.entries(secrets).map(([fingerprint, { place, text }]) => html`<${Field} key=${fingerprint} type="password" autofocus
        label=${`Secret for ${place}`} value=${text} hint=${`In place of ${fingerprint}. After Basic, it is base64 of key:secret.`}
        onInput=${(text) => know({ ...secrets, [fingerprint]: { place, text } })} />`)}
      <p class="actions"><${Button} kind="main" type="submit" busy=${send.busy}>${again ? "Send again" : "Send"}<//></p>
    </form>
    <${Problem} error=${send.error} />
    ${answer && html`<${Answer} sandbox=${sandbox} of=${answer} />`}`;
}

// Credentials puts a token or a client that the scenario gave into the headers.
function Credentials({ sandbox, set }) {
  const { data } = useCall(at(sandbox, ["users"]));
  const reach = new Map();
  for (const u of data?.users || []) for (const t of u.tokens) reach.set(t, [...(reach.get(t) || []), u.hostUserId]);
  const options = [...reach].map(([t, ids]) => ["Bearer " + t, `token ${t} (${ids.length > 3 ? ids.length + " users" : ids.join(", ")})`]);
  for (const c of data?.clients || []) if (c.secretKey) options.push(["Basic " + base64(`${c.sharedKey}:${c.secretKey}`),
    `client ${c.sharedKey} of ${c.institutionId}`]);
  if (options.length === 0) return null;
  return html`<${Field} as="select" label="Credentials that the scenario gives" value=""
    onInput=${(value) => value && set(value)}><${Options} of=${[["", "keep those above"], ...options]} value="" /><//>`;
}

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

function Answer({ sandbox, of: { response, lost, exchange, tookMicros } }) {
  return html`<h3>What came back</h3>
    <p><${Status} of=${response ? response.status : 0} /> ${lost} <span class="quiet">in ${micros(tookMicros)}</span>
      ${exchange && html` <a href=${href("journal", sandbox, { exchange })}>Exchange ${exchange}: why?</a>`}</p>
    ${response?.body && html`<${Code} label="the body of the answer" text=${pretty(response.body)}
      link=${(token) => href("bank", sandbox, { token })} />`}
    ${response && html`<details><summary>Headers</summary><${Facts} of=${pairs(response.headers)} /></details>`}`;
}
