// The page Journal: the requests that the bank got, as they come, and why each was answered so.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall, useListener } from "../hooks.js";
import { change, href } from "../route.js";
import { Button, Download, Field, Form, Options, Problem, Sure, Tag, plural } from "../ui.js";
import { Connect } from "./connect.js";
import { Exchange } from "./exchange.js";
import { Exchanges } from "./exchanges.js";

const maxRows = 200; // of the list
const outcomes = ["accepted", "refused", "faulted", "stubbed"];
const statuses = ["2xx", "4xx", "5xx", "lost"];

export function Journal({ sandbox, params, info, simulator }) {
  const { exchange } = params;
  const filter = { operation: params.operation, outcome: params.outcome, text: params.text };
  const q = [filter.operation && `operation:${filter.operation}`, filter.outcome && `outcome:${filter.outcome}`,
    filter.text].filter(Boolean).join(" ");
  const [paused, pause] = useState(false);
  const [connecting, connect] = useState(false);
  const bar = useRef(null);
  const scrolled = useScrolledPast(bar);
  const reading = scrolled || Boolean(exchange);
  const held = paused || reading;
  const found = useExchanges(sandbox, q, held);
  const operations = useCall("v1/operations").data?.operations || [];
  const unused = found.list.length === 0 && found.state === "live" && q === "";
  const { entered, enter, close } = useOpened(params, connecting, connect);
  const clear = useAction(async () => {
    await call(at(sandbox, ["journal"]), { method: "DELETE" });
    found.reload();
    return "The journal is empty now.";
  });

  return html`<div class=${exchange ? "journal open" : "journal"}>
    <div class="journal-list">
      <${Filters} filter=${filter} operations=${operations} refusal=${found.refusal} />
      <div class="row journal-bar" ref=${bar}>
        <${Live} state=${found.state} paused=${paused} reading=${reading} />
        ${(paused || !reading) && html`<button type="button" aria-pressed=${paused} onClick=${() => pause(!paused)}>
          ${paused ? "Go on" : "Pause"}</button>`}
        <button type="button" aria-expanded=${connecting} onClick=${() => connect(!connecting)}>Connect an app</button>
        <${Download} from=${at(sandbox, ["journal.har"])} name=${sandbox + ".har"}>Save as HAR<//>
        <${Sure} busy=${clear.busy} onClick=${clear.run} question="Really empty it?">Clear<//>
      </div>
      <${Problem} error=${clear.error || found.error} />
      ${(connecting || unused) && html`<${Connect} key=${info.lastReset?.at} sandbox=${sandbox} info=${info}
        first=${simulator?.firstRequest} />`}
      ${held && found.waits > 0 && html`<button type="button" class="main newer" onClick=${() => {
        found.show();
        if (scrolled) scrollTo(0, 0);
      }}>${found.waits}${found.waits < maxRows ? "" : " or more"} new</button>`}
      ${found.list.length > 0 ? html`<${Exchanges} of=${found.list} sandbox=${sandbox} params=${params}
        operations=${operations} onEnter=${enter} />
        <${Foot} found=${found} />`
        : html`<${Empty} sandbox=${sandbox} state=${found.state} unused=${unused} />`}
    </div>
    ${exchange && html`<aside class="card" aria-label=${`Exchange ${exchange}`}>
      <${Exchange} key=${`${exchange} ${info.createdAt} ${info.lastReset?.at}`} sandbox=${sandbox} id=${exchange}
        params=${params} focused=${entered === exchange} onClose=${close} />
    </aside>`}
  </div>`;
}

// Empty says why the list has nothing.
function Empty({ sandbox, state, unused }) {
  if (state === "refused") return null;
  if (state === "loading") return html`<p class="quiet">Loading…</p>`;
  if (unused) return html`<p class="quiet">Nothing was asked yet. Requests appear here by themselves. You can
    also <a href=${href("contract", sandbox)}>try an operation</a>.</p>`;
  return html`<p class="quiet">No exchange is like that. <a href=${href("journal", sandbox)}>Show all</a>, or wait:
    new ones appear by themselves.</p>`;
}

// useScrolledPast reports whether an element is above what can be seen. Somebody who has scrolled down reads: nothing
// moves then.
function useScrolledPast(element) {
  const [scrolled, scroll] = useState(false);
  const bottom = (of) => of?.getBoundingClientRect().bottom;
  useListener("scroll", () => scroll(bottom(element.current) < bottom(document.querySelector(".top"))));
  return scrolled;
}

// useOpened opens and closes exchanges, by keys, too. It returns {entered, enter, close}: entered is the exchange that
// was opened by Enter or a click: its heading gets the focus. close reports whether there was anything to close.
function useOpened({ exchange, text }, connecting, connect) {
  const entered = useRef("");
  const opened = useRef("");
  useLayoutEffect(() => { // after an exchange the focus goes back to its row
    const id = CSS.escape(opened.current);
    if (id && !exchange) document.querySelector(`a[data-exchange="${id}"]`)?.focus();
    opened.current = exchange || "";
  }, [exchange]);
  const close = () => {
    connect(false);
    if (exchange) change({ exchange: "", part: "" });
    return exchange || connecting;
  };
  const enter = (id) => {
    entered.current = id;
    if (id === exchange) document.querySelector(".exchange h2").focus();
    else change({ exchange: id });
  };
  const browse = (id) => {
    entered.current = "";
    change({ exchange: id }, { replace: true });
  };
  useKeys({ exchange, enter, browse, close, text });
  return { entered: entered.current, enter, close };
}

const passing = [0, 429, 503]; // statuses of answers that may be others soon; 0: no answer

// useExchanges returns the newest exchanges of a search, and follows them: it asks each second for the last one, and
// for all if the last one is new. New ones wait while the list is held. The list stays while a search is refused. It
// returns {list, filtered, waits, evicted, cleared, state, refusal, error, show, reload}: list has the newest first;
// filtered says whether a search selected it; show lets in the ones that wait; state is "loading", "live", "lost" or
// "refused"; refusal says why the search was refused.
function useExchanges(sandbox, q, held) {
  const path = at(sandbox, ["journal"], { q, limit: maxRows });
  const all = useCall(path);
  const refused = all.error && !passing.includes(all.error.status); // asking again would not help
  const last = useCall(refused ? null : at(sandbox, ["journal"], { q, limit: 1 }), { every: 1000 });
  const mark = (page) => page && [page.exchanges.at(-1)?.id, page.exchanges.at(-1)?.realAt, page.cleared].join();
  useEffect(() => {
    if (last.data && all.data && mark(last.data) !== mark(all.data)) all.reload();
  }, [mark(last.data), last.error]);

  const [, draw] = useState(0);
  const shown = useRef({ page: { exchanges: [] } });
  const number = (page) => Number(page.exchanges.at(-1)?.id || 0);
  const show = () => {
    if (all.data) shown.current = { path, q, page: all.data };
  };
  // After a reset the numbers begin again.
  const isReset = number(all.data || shown.current.page) < number(shown.current.page);
  if (!held || shown.current.path !== path || isReset) show();
  const { page } = shown.current;
  const error = last.error || all.error;
  const lost = passing.includes(error?.status);
  const refusal = error?.status === 400 && error.message;
  const state = error ? (lost ? "lost" : "refused") : shown.current.path ? "live" : "loading";
  return {
    list: page.exchanges.toReversed(),
    filtered: Boolean(shown.current.q),
    waits: (all.data?.exchanges || []).filter((x) => Number(x.id) > number(page)).length,
    evicted: page.evicted,
    cleared: page.cleared,
    state,
    refusal,
    error: lost || refusal ? null : error,
    show: () => {
      show();
      draw((n) => n + 1);
    },
    reload: all.reload,
  };
}

// useKeys lets keys go through the list: / to the search, Escape out of it, Enter to the first exchange, j and k to the
// next one and the one before. Escape calls close, or else empties the search.
function useKeys({ exchange, enter, browse, close, text }) {
  useListener("keydown", (event) => {
    const { key, target } = event;
    const search = document.querySelector(".filters input");
    const links = [...document.querySelectorAll("a[data-exchange]")];
    const focused = links.indexOf(document.activeElement);
    const here = focused < 0 ? links.findIndex((link) => link.dataset.exchange === exchange) : focused;
    const typing = target.matches("input, select, textarea");
    const inList = target === document.body || target.closest(".journal-list .scroll");
    const inHeading = target.matches(".exchange h2");
    const first = () => {
      const link = links[Math.max(here, 0)];
      if (link) link.focus();
      else search.blur();
      return link;
    };
    const move = (by) => {
      const link = links[Math.min(Math.max(here + by, 0), links.length - 1)];
      link?.focus();
      if (link && exchange) browse(link.dataset.exchange);
    };
    const enterFirst = () => {
      const id = first()?.dataset.exchange;
      if (id) enter(id);
    };
    const leave = () => close() || (text && inList && change({ text: "" }));
    const down = () => move(1);
    const up = () => move(-1);
    const table = [
      { where: target === search, keys: { Escape: first, ArrowDown: first, Enter: enterFirst } },
      { where: !typing, keys: { "/": () => search.select(), Escape: leave } },
      { where: inList, keys: { j: down, ArrowDown: down, k: up, ArrowUp: up } },
      { where: inHeading, keys: { j: down, k: up } },
    ];
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const act = table.find(({ where, keys }) => where && Object.hasOwn(keys, key))?.keys[key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

// Filters chooses exchanges. The status is a word of the search. refusal says why the search was refused.
function Filters({ filter, operations, refusal }) {
  const text = filter.text || "";
  const [word = "", status = ""] = text.match(/(?:^|\s)status:(\S+)/) || [];
  const families = new Set(operations.map((o) => o.name.split(".")[0] + ".*"));
  const set = (name) => (value) => change({ [name]: value }, { replace: name === "text" });
  const setStatus = (value) => change({ text: `${text.replace(word, "")} ${value && "status:" + value}`.trim() });
  const menu = (label, value, options, onInput) => {
    const known = value && !options.includes(value) ? [value, ...options] : options;
    return html`<${Field} label=${label} as="select" value=${value} onInput=${onInput}>
      <${Options} of=${[["", "all"], ...known]} value=${value} />
    <//>`;
  };
  return html`<${Form} class="row filters" role="search" aria-label="Which exchanges">
    <${Field} label="Search" value=${text} onInput=${set("text")} hint=${refusal}
      placeholder="words, or status: user: code: path: fault: method: (key: /)" />
    ${menu("Status", refusal ? "" : status, statuses, setStatus)}
    ${menu("Operation", filter.operation || "", [...families, ...operations.map((o) => o.name)], set("operation"))}
    ${menu("Outcome", filter.outcome || "", outcomes, set("outcome"))}
    ${Object.values(filter).some(Boolean) &&
    html`<${Button} onClick=${() => change({ operation: "", outcome: "", text: "" })}>Show all<//>`}
  <//>`;
}

// Live says whether the list follows the bank.
function Live({ state, paused, reading }) {
  let [kind, word] = { lost: ["bad", "lost the simulator, trying again"], refused: ["bad", "not followed"],
    loading: ["plain", "loading"], live: ["ok", "live"] }[state];
  if (state === "live" && (paused || reading)) [kind, word] = ["warn", paused ? "paused" : "paused while you read"];
  return html`<p class="live" role="status"><${Tag} kind=${kind}>${word}<//></p>`;
}

function Foot({ found }) {
  const full = found.list.length >= maxRows;
  return html`<p class="quiet foot">
    ${full && "The newest "}${plural(found.list.length, "exchange")}${found.filtered && " like that"}.
    ${full && " Search for older ones, or save all as HAR."}
    ${found.evicted > 0 && ` ${plural(found.evicted, "older one was", "older ones were")} dropped for lack of room.`}
    ${found.cleared > 0 && ` ${found.cleared.toLocaleString("en")} cleared.`}
  </p>`;
}
