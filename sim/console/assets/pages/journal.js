// The page Journal: what was asked of the bank, as it happens, and why each request was answered so.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { change, href } from "../route.js";
import { Button, Download, Field, Options, Problem, Status, Sure, Tag, clock, micros, plural } from "../ui.js";
import { Exchange, queryOf } from "./exchange.js";

const first = 200; // rows
const most = 500;
const outcomes = ["accepted", "refused", "faulted", "stubbed"];

export function Journal({ sandbox, params, info }) {
  const { exchange } = params;
  const filter = { operation: params.operation, outcome: params.outcome, text: params.text };
  const filtered = Object.values(filter).some(Boolean);
  const [paused, pause] = useState(false);
  const [scrolled, scroll] = useState(false);
  const [limit, setLimit] = useState(first);
  const held = paused || scrolled || Boolean(exchange);
  const found = useExchanges(sandbox, filter, held, limit);
  const top = useRef(null);

  useEffect(() => { // who has scrolled down reads: nothing moves then
    const look = () => scroll(top.current?.getBoundingClientRect().bottom < 0);
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);

  const close = () => {
    change({ exchange: "" });
    document.querySelector(`a[data-exchange="${CSS.escape(exchange)}"]`)?.focus();
  };
  useKeys(exchange, close, filter.text);
  const clear = useAction(async () => {
    await call(at(sandbox, ["journal"]), { method: "DELETE" });
    found.reload();
    return "The journal is empty now.";
  });

  return html`<div class=${exchange ? "journal open" : "journal"}>
    <div class="journal-list">
      <${Filters} filter=${filter} />
      <div class="journal-state" ref=${top}>
        <${Live} found=${found} paused=${paused} reading=${scrolled || Boolean(exchange)} />
        <div class="actions">
          <button type="button" aria-pressed=${paused} onClick=${() => pause(!paused)}>${paused ? "Go on" : "Pause"}</button>
          <${Download} from=${at(sandbox, ["journal.har"])} name=${sandbox + ".har"}>Save as HAR<//>
          <${Sure} busy=${clear.busy} onClick=${clear.run} question="Really empty it?">Clear<//>
        </div>
      </div>
      <${Problem} error=${clear.error || found.error} />
      ${held && found.waits > 0 && html`<button type="button" class="main newer" onClick=${() => {
        found.show();
        if (scrolled) scrollTo(0, 0);
      }}>${found.waits}${found.waits < limit ? "" : " or more"} new</button>`}
      <${List} found=${found} sandbox=${sandbox} params=${params} chosen=${exchange} filtered=${filtered} />
      <${Foot} found=${found} limit=${limit} filtered=${filtered} onMore=${() => setLimit(most)} />
    </div>
    ${exchange && html`<aside class="card" aria-label=${`Exchange ${exchange}`}><${Exchange}
      key=${`${exchange} ${info.createdAt} ${info.lastReset?.at}`} sandbox=${sandbox} id=${exchange} params=${params}
      onClose=${close} /></aside>`}
  </div>`;
}

// useExchanges returns the newest exchanges that a filter leaves, and follows them: the simulator is asked each second for the
// last one, and for the others when that is new. While the list is held, new ones wait. It returns {list, waits, evicted, cleared,
// state, error, show, reload}: list has the newest first; show lets in those that wait; state is "loading", "live", "lost" or
// "refused".
function useExchanges(sandbox, filter, held, limit) {
  const path = at(sandbox, ["journal"], { ...filter, limit });
  const last = useCall(at(sandbox, ["journal"], { ...filter, limit: 1 }), { every: 1000 });
  const all = useCall(path);
  const mark = (page) => page && JSON.stringify([page.exchanges.at(-1)?.id, page.exchanges.at(-1)?.realAt, page.cleared]);
  useEffect(() => {
    if (last.data && all.data && mark(last.data) !== mark(all.data)) all.reload();
  }, [mark(last.data), last.error]);

  const [, draw] = useState(0);
  const shown = useRef({ page: { exchanges: [] } });
  const number = (page) => Number(page.exchanges.at(-1)?.id || 0);
  const show = () => {
    if (all.data) shown.current = { path, page: all.data };
  };
  // After a reset the numbers begin again.
  if (!held || shown.current.path !== path || number(all.data || shown.current.page) < number(shown.current.page)) show();
  const { page } = shown.current;
  const error = last.error || all.error;
  const lost = [0, 429, 503].includes(error?.status);
  const state = error ? (lost ? "lost" : "refused") : shown.current.path ? "live" : "loading";
  return {
    list: state === "refused" ? [] : page.exchanges.toReversed(),
    waits: (all.data?.exchanges || []).filter((x) => Number(x.id) > number(page)).length,
    evicted: page.evicted,
    cleared: page.cleared,
    state,
    error: lost ? null : error,
    show: () => {
      show();
      draw((n) => n + 1);
    },
    reload: all.reload,
  };
}

// useKeys lets keys go through the list: / to the filter, Escape out of it, Enter to the first exchange, j and k to the next and to the one
// before. Escape closes what is open, or empties the filter.
function useKeys(exchange, close, text) {
  const press = (event) => {
    const { key, target } = event;
    const filter = document.querySelector(".filters input");
    const list = [...document.querySelectorAll("a[data-exchange]")];
    const here = list.findIndex((link) => (list.includes(document.activeElement) ? link === document.activeElement
      : link.dataset.exchange === exchange));
    const inList = target === document.body || target.closest(".journal-list .scroll");
    const typing = target.matches("input, select, textarea");
    let to; // the place in the list
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (key === "/" && !typing) filter.select();
    else if (target === filter && ["Escape", "ArrowDown", "Enter"].includes(key)) to = Math.max(here, 0);
    else if (key === "Escape" && exchange && !typing) close();
    else if (key === "Escape" && text && inList) change({ text: "" });
    else if (["j", "ArrowDown"].includes(key) && inList) to = Math.min(here + 1, list.length - 1);
    else if (["k", "ArrowUp"].includes(key) && inList) to = Math.max(here - 1, 0);
    else return;
    event.preventDefault();
    if (to === undefined) return;
    if (!list[to]) filter.blur();
    list[to]?.focus();
    if (list[to] && (key === "Enter" || (exchange && target !== filter))) {
      change({ exchange: list[to].dataset.exchange }, { replace: key !== "Enter" });
    }
  };
  const now = useRef();
  now.current = press;
  useEffect(() => {
    const listen = (event) => now.current(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function Filters({ filter }) {
  const contract = useCall("v1/operations");
  const operations = contract.data?.operations || [];
  const families = [...new Set(operations.map((o) => o.name.split(".")[0] + ".*"))];
  const names = [...families, ...operations.map((o) => o.name)];
  if (filter.operation && !names.includes(filter.operation)) names.push(filter.operation);
  const set = (name, options) => (value) => change({ [name]: value }, options);
  return html`<form class="row filters" role="search" aria-label="Which exchanges" onSubmit=${(event) => event.preventDefault()}>
    <${Field} label="Text" value=${filter.text || ""} onInput=${set("text", { replace: true })}
      placeholder="words, status:4xx (key: /)" />
    <${Field} label="Operation" as="select" value=${filter.operation || ""} onInput=${set("operation")}><${Options}
      of=${[["", "all"], ...names]} value=${filter.operation || ""} /><//>
    <${Field} label="Outcome" as="select" value=${filter.outcome || ""} onInput=${set("outcome")}><${Options}
      of=${[["", "all"], ...outcomes]} value=${filter.outcome || ""} /><//>
    ${Object.values(filter).some(Boolean) && html`<${Button}
      onClick=${() => change({ operation: "", outcome: "", text: "" })}>Show all<//>`}
  </form>`;
}

// Live says whether what is shown is all, and now.
function Live({ found, paused, reading }) {
  const [kind, word] =
    found.state === "lost" ? ["bad", "lost the simulator, trying again"]
    : found.state === "refused" ? ["bad", "not followed"]
    : found.state === "loading" ? ["plain", "loading"]
    : paused ? ["warn", "paused"]
    : reading ? ["warn", "paused while you read"]
    : ["ok", "live"];
  return html`<p class="live">
    <span role="status"><${Tag} kind=${kind}>${word}<//></span>
  </p>`;
}

function List({ found, sandbox, params, chosen, filtered }) {
  if (found.state === "loading" && found.list.length === 0) return html`<p class="quiet">Loading…</p>`;
  if (found.error && found.list.length === 0) return null;
  if (found.list.length === 0) {
    return filtered
      ? html`<p class="quiet">No exchange is like that. <a
        href=${href("journal", sandbox)}>Show all</a>, or wait: new ones appear by themselves.</p>`
      : html`<p class="quiet">Nothing was asked yet. Point an app at the base URL of this sandbox (see the <a
        href=${href("overview", sandbox)}>overview</a>), or <a href=${href("contract", sandbox)}>try an operation</a>.</p>`;
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Exchanges, the newest first">
    <table class="exchanges">
      <caption class="unseen">Exchanges, the newest first</caption>
      <thead><tr><th scope="col" class="number">No.</th><th scope="col">Time</th><th scope="col">Status</th><th
        scope="col">Request</th><th scope="col">Decision</th></tr></thead>
      <tbody>${found.list.map((x) => html`<${Seen} key=${x.id} of=${x} sandbox=${sandbox} params=${params}
        chosen=${x.id === chosen} />`)}</tbody>
    </table>
  </div>`;
}

// Seen is the row of an exchange.
function Seen({ of: x, sandbox, params, chosen }) {
  const faults = x.fault?.fired || [];
  return html`<tr data-row class=${chosen ? "chosen" : ""}
    onClick=${(event) => event.target.closest("a") || getSelection().toString() || change({ exchange: x.id })}>
    <td class="number"><a data-exchange=${x.id} href=${href("journal", sandbox, { ...params, exchange: x.id })}
      aria-current=${chosen ? "true" : undefined} onClick=${() => chosen && document.querySelector(".exchange h2").focus()}
      aria-label=${`Exchange ${x.id}: ${x.request.method} ${x.operation || x.request.path}, ${x.response.status || "lost"}`}
      >${x.id}</a></td>
    <td class="quiet" title=${x.at + ", answered in " + micros(x.tookMicros)}>${clock(x.at)}</td>
    <td><${Status} of=${x.response.status} /></td>
    <td><strong>${x.operation || "no operation"}</strong><span class="path mono"
      title=${x.request.path}>${x.request.method} <span class="cut"><bdi>${x.request.path}</bdi></span><span
      class="query">${queryOf(x.request.url)}</span></span>${x.matched && html`<span class="hint">in ${x.matched.join(", ")}</span>`}${
      ["Traceparent", "X-Request-Id"].map((name) => x.request.headers[name]
        && html`<span class="path mono quiet">${name.toLowerCase()} ${x.request.headers[name][0]}</span>`)}</td>
    <td>${x.decision.outcome !== "accepted" && html`<${Tag}
      kind=${x.decision.outcome === "refused" ? "warn" : "bad"}>${x.decision.outcome}<//> ${x.decision.rule} `}
      ${x.changed && html`<${Tag} kind="ok" title="it changed the bank">changed<//> `}
      ${x.decision.outcome !== "faulted" && faults.map((name) => html`<${Tag} kind="bad" title="a fault that fired">fault ${name}<//> `)}
      ${x.lints.length > 0 && html`<${Tag} title="what is odd about the request">${plural(x.lints.length, "lint")}<//>`}</td>
  </tr>`;
}

function Foot({ found, limit, filtered, onMore }) {
  if (found.list.length === 0) return null;
  const shown = found.list.length;
  return html`<p class="quiet foot">
    ${shown >= limit && "The newest "}${plural(shown, "exchange")}${filtered && " like that"}.
    ${shown >= limit && limit < most && html` <button type="button" class="link" onClick=${onMore}>Show up to ${most}</button>`}
    ${shown >= most && " For older ones, filter, or save all as HAR."}
    ${found.evicted > 0 && ` ${plural(found.evicted, "older one was", "older ones were")} dropped for lack of room.`}
    ${found.cleared > 0 && ` ${found.cleared.toLocaleString("en")} cleared.`}
  </p>`;
}
