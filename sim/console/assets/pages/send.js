// A form that sends a request to the bank, as an app would.

import { html, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { href } from "../route.js";
import { Button, Code, Facts, Field, Form, Options, Problem, Status, micros, pretty } from "../ui.js";
import { tokensOf } from "./connect.js";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

// The simulator sets these headers by itself.
const own = /^(connection|content-length|host|keep-alive|te|trailer|transfer-encoding|upgrade|banksim-sandbox)$/i;

// headerPairs returns the names and values of {name: [values]} or {name: value}.
const headerPairs = (of) =>
  Object.entries(of || {}).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));

// basic returns the credentials of a client as the header Authorization has them.
export const basic = ({ sharedKey, secretKey }) =>
  "Basic " + btoa(String.fromCharCode(...new TextEncoder().encode(`${sharedKey}:${secretKey}`)));

// Send sends a request: {method, path, headers, body}. The path has the query. With again, the request comes from the
// journal, and its fields are folded. It may have fingerprints in place of secrets. The simulator knows the secrets of
// the bank; the form asks for the others. With needsToken, it offers another token. kind is the kind of its button.
export function Send({ sandbox, request, again, needsToken, kind = "main" }) {
  const { data: known } = useCall(again && !needsToken ? null : at(sandbox, ["users"]));
  const [plan, set] = useState({ method: request.method, path: request.path, body: request.body || "",
    headers: headerPairs(request.headers).filter(([name]) => !own.test(name)).map((pair) => pair.join(": "))
      .join("\n") });
  const [secrets, know] = useState({}); // by fingerprint: {place, text}
  const [answer, setAnswer] = useState(null);
  const send = useAction(async () => {
    setAnswer(null);
    if (request.bodyTruncated && plan.body === request.body) {
      throw new Error(`The journal has only the beginning of the body of ${request.bodyBytes} bytes: write it whole.`);
    }
    const headers = headersOf(plan.headers);
    const given = Object.entries(secrets).filter(([, s]) => s.text).map(([fingerprint, s]) => [fingerprint, s.text]);
    try {
      const body = { ...plan, headers, secrets: Object.fromEntries(given) };
      const got = await call(at(sandbox, ["requests"]), { body });
      setAnswer(got);
      return got.response ? `The bank answered ${got.response.status}.` : `No answer: ${got.lost}.`;
    } catch (error) {
      const unknown = error.status === 409 && error.message.match(/^(.+?): .*(tok_[0-9a-f]{12})/);
      const [, place, fingerprint] = unknown || [];
      if (place) know({ ...secrets, [fingerprint]: { place, text: "" } });
      throw error;
    }
  });
  const authorize = (value) => {
    const replaced = (headers) => `${headers.replace(/^authorization:.*\n?/gim, "").trim()}\nauthorization: ${value}`;
    if (value) set((now) => ({ ...now, headers: replaced(now.headers) }));
  };
  const mint = useAction(async () => {
    const { accessToken } = await call(at(sandbox, ["tokens"]), { body: {} });
    authorize("Bearer " + accessToken);
    return "A token was minted: send the request.";
  });
  const picker = html`<${Credentials} known=${known} onChoose=${authorize} />`;
  const fields = html`<${Fields} plan=${plan} set=${set} truncated=${request.bodyTruncated}>
    ${!needsToken && picker}<//>`;
  return html`<${Form} onSubmit=${send.run}>
      ${again ? html`<details open=${request.bodyTruncated}>
        <summary>Edit the request before it is sent again</summary>${fields}</details>` : fields}
      ${Object.entries(secrets).map(([fingerprint, { place, text }]) => html`<${Field} key=${fingerprint}
        type="password" label=${`Secret for ${place}`} value=${text} autofocus
        onInput=${(text) => know({ ...secrets, [fingerprint]: { place, text } })}
        hint=${`In place of ${fingerprint}. After Basic, it is base64 of key:secret.`} />`)}
      ${needsToken && picker}
      <p class="actions"><${Button} kind=${kind} type="submit" busy=${send.busy}>${again ? "Send again" : "Send"}<//>
        ${needsToken && html` <${Button} busy=${mint.busy} onClick=${mint.run}>Mint a token<//>`}</p>
    <//>
    <${Problem} error=${send.error || mint.error} />
    ${answer && html`<${Answer} sandbox=${sandbox} of=${answer}
      title=${again ? "The answer now" : "What came back"} />`}`;
}

// Fields edits a request. The child stands below the headers.
function Fields({ plan, set, truncated, children }) {
  const of = (member) => (value) => set({ ...plan, [member]: value });
  return html`<div class="fields send">
      <${Field} as="select" label="Method" value=${plan.method} onInput=${of("method")}>
        <${Options} value=${plan.method} of=${[...new Set([...methods, plan.method])]} />
      <//>
      <${Field} label="Path, with the query" value=${plan.path} onInput=${of("path")} />
    </div>
    <${Field} as="textarea" label="Headers, one in a line" value=${plan.headers} onInput=${of("headers")} />
    ${children}
    <${Field} as="textarea" label="Body" value=${plan.body} onInput=${of("body")}
      error=${truncated && "The journal has only its beginning."} />`;
}

// headersOf returns {name: [values]} of lines such as Name: value.
function headersOf(text) {
  const headers = {};
  const lines = text.matchAll(/^([^:\n]+):[ \t]*(.*)$/gm);
  for (const [, name, value] of lines) (headers[name.trim()] ||= []).push(value);
  return headers;
}

// Credentials offers the tokens and clients of a sandbox, as the header Authorization has them.
function Credentials({ known, onChoose }) {
  const clients = (known?.clients || []).filter((c) => c.secretKey);
  const credentials = [...tokensOf(known).map(([token, text]) => ["Bearer " + token, "token " + text]),
    ...clients.map((c) => [basic(c), `client ${c.sharedKey} of ${c.institutionId}`])];
  return credentials.length > 0 && html`<${Field} as="select" label="Credentials that the scenario gives" value=""
    onInput=${onChoose}><${Options} of=${[["", "keep those above"], ...credentials]} value="" /><//>`;
}

function Answer({ title, sandbox, of: { response, lost, exchange, tookMicros } }) {
  const link = (token) => href("bank", sandbox, { token });
  return html`<section class="answer" aria-label=${title}>
    <h3>${title}</h3>
    <p><${Status} of=${response ? response.status : 0} /> ${lost} <span class="quiet">in ${micros(tookMicros)}</span>
      ${exchange && html` <a href=${href("journal", sandbox, { exchange })}>Exchange ${exchange}: why?</a>`}</p>
    ${response?.body && html`<${Code} label="the body of the answer" text=${pretty(response.body)} link=${link} />`}
    ${response && html`<details><summary>Headers</summary><${Facts} of=${headerPairs(response.headers)} /></details>`}
  </section>`;
}
