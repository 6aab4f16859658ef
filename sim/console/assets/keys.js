// Keys that work where nothing is being typed. Each can be turned off with the others, in the help.

import { useEffect, useRef } from "./vendor/preact.js";

const off = "banksim-keys-off";

export function keysAreOff() {
  try {
    return localStorage.getItem(off) === "yes";
  } catch {
    return false;
  }
}

export function turnKeys(on) {
  try {
    if (on) localStorage.removeItem(off);
    else localStorage.setItem(off, "yes");
  } catch {
    // they stay as they are
  }
}

const typing = (element) => element && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName));

// useKeys calls the function of a key, such as {j: next, "?": help}. Escape works while typing, too. A function that returns
// false leaves the key to others.
export function useKeys(keys) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const key = event.key;
      if (key !== "Escape" && (keysAreOff() || typing(event.target))) return;
      if (key === "Enter" && /^(A|BUTTON|SUMMARY)$/.test(event.target.tagName)) return;
      if (document.querySelector("dialog[open]")) return;
      const act = latest.current[key];
      if (act && act(event) !== false) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
