// Hooks that load the data of a page and carry out its actions.

import { useCallback, useEffect, useRef, useState } from "./vendor/preact.js";
import { at, call } from "./api.js";

// useCall gets a path of the control API. It gets the path again when reload is called and every so many milliseconds,
// unless the page is hidden; a page that is shown again gets it at once. It returns {data, error, reload}. data stays
// while newer data of the same path is loaded, or of another path with the same keep. A path of null loads nothing.
export function useCall(path, { every = 0, keep = path } = {}) {
  const [state, set] = useState({ path: null, keep: null, data: null, error: null });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    let timer;
    let first = true;
    const load = async () => {
      timer = 0;
      if (!document.hidden || first) {
        first = false;
        try {
          const data = await call(path, { signal: abort.signal });
          set({ path, keep, data, error: null });
        } catch (error) {
          if (abort.signal.aborted) return;
          set((old) => ({ path, keep, data: old.keep === keep ? old.data : null, error }));
        }
      }
      if (every && !abort.signal.aborted) timer = setTimeout(load, every);
    };
    const seen = () => {
      if (document.hidden || !timer) return;
      clearTimeout(timer);
      load();
    };
    addEventListener("visibilitychange", seen);
    load();
    return () => {
      removeEventListener("visibilitychange", seen);
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, turn, every]);
  return { data: state.keep === keep ? state.data : null, error: state.path === path ? state.error : null, reload };
}

// useListener calls the newest listen for each event of a type that the window gets.
export function useListener(type, listen) {
  const newest = useRef();
  newest.current = listen;
  useEffect(() => {
    const hear = (event) => newest.current(event);
    addEventListener(type, hear);
    return () => removeEventListener(type, hear);
  }, []);
}

// say shows a text for a moment, and has screen readers say it.
export function say(text) {
  dispatchEvent(new CustomEvent("banksim-say", { detail: text }));
}

// useAction returns {run, busy, error}. run carries out act, unless it is being carried out; a text that act returns is
// said.
export function useAction(act) {
  const [state, set] = useState({ busy: false, error: null });
  const running = useRef(false);
  const run = async (...args) => {
    if (running.current) return undefined;
    running.current = true;
    set({ busy: true, error: null });
    try {
      const done = await act(...args);
      set({ busy: false, error: null });
      if (typeof done === "string") say(done);
      return done ?? true;
    } catch (error) {
      set({ busy: false, error });
      return undefined;
    } finally {
      running.current = false;
    }
  };
  return { run, ...state };
}

// useClock returns the bank's clock of a sandbox, as useCall does. A page that moves the clock dispatches banksim-clock
// on the window.
export function useClock(sandbox) {
  const clock = useCall(sandbox === null ? null : at(sandbox, ["clock"]), { every: 1000 });
  useListener("banksim-clock", clock.reload);
  return { ...clock, now: clock.data?.now };
}
