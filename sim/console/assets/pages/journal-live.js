// The newest exchanges of a journal as they happen: some of them, where there are too many to show.

import { useEffect, useRef, useState } from "../vendor/preact.js";
import { at, call, stream } from "../api.js";

export const first = 200; // rows
export const most = 500;
const perSecond = 20; // of the stream
const few = 100; // a second: so many are shown completely
const paint = 250; // ms between two renderings
const aim = 1000; // ms without new rows after the pointer moved over them
const recent = 10; // seconds over which samples are counted

// row is what the list shows of an exchange: without headers and bodies, which may be large.
function row(x) {
  return {
    id: x.id,
    at: x.at,
    took: x.tookMicros,
    operation: x.operation,
    method: x.request.method,
    path: x.request.path,
    query: Object.entries(x.request.query).flatMap(([name, values]) => values.map((value) => `${name}=${value}`)).join("&"),
    status: x.response.status,
    outcome: x.decision.outcome,
    rule: x.decision.rule,
    changed: x.changed,
    faults: x.fault?.fired || [],
    lints: x.lints.length,
  };
}

const number = (x) => Number(x?.id || 0);
const fresh = (more) => ({ list: [], waiting: [], waits: 0, arrived: 0, seconds: [], holes: false, torn: false, evicted: 0, cleared: 0, ...more });

// useExchanges follows the exchanges of a sandbox that a filter leaves. While it is held, new ones wait. It returns {list, waits,
// sample, arrived, evicted, cleared, state, error, show, touch, reload}: list has the newest first; waits is how many wait, and show
// lets them in; touch holds them for a moment, so that nobody has to hit a row that moves; sample is {shown, all} of the last seconds, or null where all are shown; state is "loading", "live", "lost" or
// "refused".
export function useExchanges(sandbox, filter, held, limit) {
  const all = useRef(fresh());
  const [, draw] = useState(0);
  const [turn, setTurn] = useState(0);
  const [{ state, error }, setState] = useState({ state: "loading", error: null });
  all.current.held = held;
  const key = JSON.stringify([sandbox, filter]);
  const shown = useRef(key);
  const touched = useRef(-aim);

  useEffect(() => {
    const abort = new AbortController();
    const path = (query) => at(sandbox, ["journal"], query);
    const get = (query) => call(path(query), { signal: abort.signal });
    let painting = 0;
    let again = 0;
    let wait = 500;
    const redraw = () => {
      painting ||= setTimeout(() => {
        painting = 0;
        if (!all.current.held) {
          if (performance.now() - touched.current > aim) admit(all.current);
          else redraw();
        }
        draw((n) => n + 1);
      }, paint);
    };
    const hear = (name, data) => {
      const now = all.current;
      if (name === "gap") {
        count(now, 0, data.missed);
        now.holes = true;
      } else if (name === "exchange" && number(data) > number(now.waiting[0] || now.list[0])) {
        now.waiting.unshift(row(data));
        now.waiting.length = Math.min(now.waiting.length, most);
        now.waits += 1;
        count(now, 1, 0);
      } else return;
      redraw();
    };
    // Each time that the stream breaks off, all is loaded anew: the simulator may have begun again, and so may the ids.
    const follow = async () => {
      try {
        const last = await get({ limit: 1 }); // of all exchanges: the stream begins after it
        const page = await get({ ...filter, limit });
        all.current = fresh({ list: page.exchanges.map(row).reverse(), evicted: page.evicted, cleared: page.cleared, held: all.current.held });
        setState({ state: "live", error: null });
        draw((n) => n + 1);
        wait = 500;
        await stream(at(sandbox, ["journal", "stream"], { ...filter, perSecond, after: last.exchanges.at(-1)?.id || "0" }), hear, abort.signal);
      } catch (error) {
        if (abort.signal.aborted) return;
        if (error.status && error.status !== 429 && error.status !== 503) {
          all.current = fresh({ held: all.current.held });
          setState({ state: "refused", error });
          return;
        }
        wait = Math.min(wait * 2, 5000);
      }
      if (abort.signal.aborted) return;
      setState({ state: "lost", error: null });
      again = setTimeout(follow, wait);
    };
    const tick = setInterval(async () => {
      const now = all.current;
      if (now.seconds.length > 0) redraw();
      if (!now.holes || rate(now) > few) return;
      now.holes = false;
      try {
        fill(now, await get({ ...filter, limit: first }));
        redraw();
      } catch {
        // the sample stays
      }
    }, 1000);
    const typed = shown.current !== key;
    shown.current = key;
    if (typed) setState({ state: "loading", error: null });
    again = setTimeout(follow, typed ? 150 : 0); // who types a filter types on
    return () => {
      abort.abort();
      clearTimeout(again);
      clearTimeout(painting);
      clearInterval(tick);
    };
  }, [key, limit, turn]);

  return {
    ...all.current,
    state,
    error,
    sample: sampled(all.current),
    show: () => {
      admit(all.current);
      draw((n) => n + 1);
    },
    touch: () => {
      touched.current = performance.now();
    },
    reload: () => setTurn((n) => n + 1),
  };
}

// admit lets in those that wait.
function admit(now) {
  if (now.waiting.length > 0) now.list = now.waiting.concat(now.list).slice(0, most);
  now.waiting = [];
  now.waits = 0;
  now.holes ||= now.torn;
  now.torn = false;
}

// fill adds what the stream left out, from a page of the newest: a burst of some is shown completely.
function fill(now, page) {
  const union = new Map([...page.exchanges.map(row), ...now.list, ...now.waiting].map((x) => [x.id, x]));
  const oldest = page.exchanges.length < first ? 0 : number(page.exchanges[0]);
  const rows = [...union.values()].filter((x) => number(x) >= oldest).sort((a, b) => number(b) - number(a));
  if (now.held && now.list.length > 0) {
    now.waiting = rows.filter((x) => number(x) > number(now.list[0]));
    now.waits = now.waiting.length;
    now.torn = true; // the list stays as it is for now
  } else Object.assign(now, { list: rows.slice(0, most), waiting: [], waits: 0, seconds: [] });
}

function count(now, shown, missed) {
  const second = Math.floor(performance.now() / 1000);
  if (now.seconds.at(-1)?.second !== second) now.seconds.push({ second, shown: 0, missed: 0 });
  const last = now.seconds.at(-1);
  last.shown += shown;
  last.missed += missed;
  now.arrived += shown + missed;
}

const since = (now, ago) => now.seconds.filter((s) => s.second > Math.floor(performance.now() / 1000) - ago);
const sum = (seconds, member) => seconds.reduce((n, s) => n + s[member], 0);

// rate returns how many exchanges came in about the last second.
const rate = (now) => sum(since(now, 2), "shown") + sum(since(now, 2), "missed");

function sampled(now) {
  now.seconds = since(now, recent);
  const missed = sum(now.seconds, "missed");
  const shown = sum(now.seconds, "shown");
  return missed > 0 ? { shown, all: shown + missed } : null;
}
