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

// The key before, if it was g and came just now: keys such as "g j" are two, one after the other.
let leader = -Infinity;
let pressed = "";
addEventListener(
  "keydown",
  (event) => {
    if (event.key === "Shift") return;
    const alone = event.ctrlKey || event.metaKey || event.altKey || typing(event.target);
    pressed = event.timeStamp - leader < 1500 && !alone ? "g " + event.key : event.key;
    leader = pressed === "g" && !alone ? event.timeStamp : -Infinity;
  },
  true,
);

// useKeys calls the function of a key, such as {j: next, "?": help, "g b": bank}. Escape works while typing, too. A function
// that returns false leaves the key to others.
export function useKeys(keys) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key !== "Escape" && (keysAreOff() || typing(event.target))) return;
      if (event.key === "Enter" && /^(A|BUTTON|SUMMARY)$/.test(event.target.tagName)) return;
      if (document.querySelector("dialog[open]")) return;
      const act = latest.current[pressed];
      if (act && act(event) !== false) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
