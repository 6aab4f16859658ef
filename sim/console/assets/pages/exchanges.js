// The list of exchanges: a row has the request, the user and the message of an exchange.

import { html, useEffect, useRef } from "../vendor/preact.js";
import { change, href } from "../route.js";
import { Status, Tag, clock, day, micros } from "../ui.js";

const columns = ["Time", "Status", "Request", "User", "Message", "Took"];

// onEnter gets the id of an exchange that is to be opened and read.
export function Exchanges({ of, sandbox, params, operations, onEnter }) {
  const prefix = sharedPrefix(operations.map((o) => o.path));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Exchanges, the newest first">
    <table class="exchanges">
      <caption class="unseen">Exchanges, the newest first</caption>
      <thead><tr>${columns.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
      <tbody>
        ${of.map((x) => html`<${Seen} key=${x.id} of=${x} sandbox=${sandbox} params=${params} prefix=${prefix}
          onEnter=${onEnter} />`)}
      </tbody>
    </table>
  </div>`;
}

// sharedPrefix returns the first segments that all paths have.
function sharedPrefix(paths) {
  const [first = [], ...others] = paths.map((path) => path.split("/"));
  let n = 0;
  while (n < first.length && others.every((path) => path[n] === first[n])) n += 1;
  return first.slice(0, n).join("/");
}

// Seen is the row of an exchange. The chosen one is scrolled to.
function Seen({ of: x, sandbox, params, prefix, onEnter }) {
  const chosen = x.id === params.exchange;
  const row = useRef(null);
  useEffect(() => {
    if (chosen) row.current.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const enter = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab or window
    event.preventDefault();
    onEnter(x.id);
  };
  const { method, url, path } = x.request;
  const message = messageOf(x);
  return html`<tr data-row ref=${row} class=${chosen ? "chosen" : ""}
    onClick=${(event) => event.target.closest("a") || getSelection().toString() || change({ exchange: x.id })}>
    <td><a data-exchange=${x.id} href=${href("journal", sandbox, { ...params, exchange: x.id })}
      title=${day(x.realAt) + " in real time"} aria-current=${chosen ? "true" : undefined}
      aria-label=${`${clock(x.at)}, exchange ${x.id}: ${method} ${x.operation || path}`}
      onClick=${enter}>${clock(x.at)}</a></td>
    <td><${Status} of=${x.response.status} kind=${kindOf(x)} /></td>
    <td class="request mono" title=${method + " " + url}>${method}
      <span class="cut"><bdi>${path.startsWith(prefix + "/") ? path.slice(prefix.length) : path}</bdi></span>
      <span class="query">${queryOf(url)}</span></td>
    <td class="user">${x.user}</td>
    <td class="message" title=${message}>
      ${(x.fault?.fired || []).map((name) => html`<${Tag} kind="accent">${name}<//> `)}${message + " "}
      <small class=${message ? "quiet second" : "quiet"}>${x.operation}</small>
      ${x.matched && html` <small class="quiet">found in ${x.matched.join(", ")}</small>`}
    </td>
    <td class="took quiet">${micros(x.tookMicros)}</td>
  </tr>`;
}

// queryOf returns the query of a URL, with its question mark.
export const queryOf = (url) => (url.includes("?") ? url.slice(url.indexOf("?")) : "");

// kindOf returns the colour of an exchange. The answer of a fault or a stub was asked for, so it is not bad.
export function kindOf({ fault, response, decision }) {
  if (fault?.answeredBy) return "accent";
  if (response.status >= 500) return "bad";
  return decision.outcome === "refused" ? "warn" : "ok";
}

// messageOf says in a line why an exchange was refused, what faults did to it, and that it changed the bank.
function messageOf({ response, decision, fault, changed }) {
  const error = response.status >= 400 && textOf(response.body);
  const parts = [
    error || (decision.outcome === "refused" && decision.message),
    fault?.connection && `connection: ${fault.connection}`,
    fault?.delayMicros > 0 && `delayed by ${micros(fault.delayMicros)}`,
    changed && "changed the bank",
  ];
  return parts.filter(Boolean).join("; ");
}

// textOf returns the message of an error's body, or "" if the body has no message.
function textOf(body) {
  try {
    return JSON.parse(body).message || "";
  } catch {
    return "";
  }
}
