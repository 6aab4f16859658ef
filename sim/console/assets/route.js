// The fragment of the URL says what the console shows: #/PAGE/SANDBOX?name=value. So a link can be sent to a colleague.

import { useEffect, useState } from "./vendor/preact.js";
import { query, setToken } from "./api.js";

// current returns the page, the sandbox and the parameters of the URL.
export function current() {
  const [path, params = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const [page, sandbox] = path.split("/").map(plain);
  return { page: page || "journal", sandbox: sandbox || "default",
    params: Object.fromEntries(new URLSearchParams(params)) };
}

function plain(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// href returns the URL of a page. Empty parameters are left out.
export function href(page, sandbox, params = {}) {
  return `#/${encodeURIComponent(page)}/${encodeURIComponent(sandbox)}${query(params)}`;
}

// go shows a page.
export function go(page, sandbox, params) {
  location.hash = href(page, sandbox, params);
}

// change changes some parameters of the page that is shown. With replace, going back skips the change: for typing.
export function change(params, { replace = false } = {}) {
  const now = current();
  const to = href(now.page, now.sandbox, { ...now.params, ...params });
  if (to === location.hash) return;
  if (replace) {
    history.replaceState(null, "", to);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = to;
}

// takeToken takes a token out of the URL, such as #token=… of the link in the log, before anyone sees it there.
export function takeToken() {
  const found = location.hash.match(/^#token=([^&]*)/);
  if (!found) return;
  setToken(plain(found[1]));
  history.replaceState(null, "", location.pathname);
}

// useRoute returns what the URL says, and follows it.
export function useRoute() {
  const [route, set] = useState(current);
  useEffect(() => {
    const follow = () => {
      takeToken();
      set(current());
    };
    addEventListener("hashchange", follow);
    // It may have changed since the first drawing.
    follow();
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
