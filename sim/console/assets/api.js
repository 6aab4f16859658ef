// Calls of the control API. Whatever the console shows or changes goes through here.

const root = new URL("..", document.baseURI); // the page is at /console/
const kept = "banksim-token";

// Refused is an answer that is no success: a problem document (RFC 9457), or no answer at all (status 0).
class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `status ${status}`);
    this.status = status;
    this.problems = problem.problems || [];
  }
}

// The token stays in this tab. Session storage can be forbidden; then it stays in this page.
let token = "";
try {
  token = sessionStorage.getItem(kept) || "";
} catch {
  // only this page keeps it
}

export function hasToken() {
  return token !== "";
}

export function setToken(text) {
  token = text.trim();
  try {
    sessionStorage.setItem(kept, token);
  } catch {
    // only this page keeps it
  }
}

let locked = () => {};

// onLocked sets the function that is called when a call lacks the right token.
export function onLocked(fn) {
  locked = fn;
}

// headers returns the headers of a call. The simulator doesn't log what a console reads, because it reads all the time.
function headers(more) {
  const all = { ...more, "Banksim-Console": "1" };
  if (token) all.Authorization = `Bearer ${token}`;
  return all;
}

async function send(path, options) {
  let response;
  try {
    const all = { ...options, cache: "no-store", credentials: "omit", redirect: "error" };
    response = await fetch(new URL(path, root), all);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { title: "The simulator doesn't answer. Is it still running?" });
  }
  if (response.status === 401) locked();
  if (!response.ok) {
    let problem = {};
    try {
      problem = await response.json();
    } catch {
      problem = { title: `status ${response.status}` };
    }
    throw new Refused(response.status, problem);
  }
  return response;
}

// call makes a call and returns the answer: an object for JSON, text for another type, null for status 204. The body is
// sent as JSON, or unchanged if there is a type. The method is GET by default, or POST if there is a body.
export async function call(path, { method, body, type, signal } = {}) {
  const options = { method: method || (body === undefined ? "GET" : "POST"), headers: headers({}), signal };
  if (body !== undefined) {
    options.headers["Content-Type"] = type || "application/json";
    options.body = type ? body : JSON.stringify(body);
  }
  const response = await send(path, options);
  const media = response.headers.get("Content-Type") || "";
  if (response.status === 204) return null;
  const text = await response.text();
  return /[/+]json/.test(media) ? JSON.parse(text.replace(largeSeed, '$1"$2"')) : text;
}

// A seed can be larger than the numbers of JavaScript: then it is a text here.
const largeSeed = /("seed": ?)(\d{16,})/g;

// at returns the path of a call about a sandbox. Its parts are escaped, and it has a query of the parameters.
export function at(sandbox, parts = [], params = {}) {
  return path(["sandboxes", sandbox, ...parts], params);
}

// path returns the path of a call below /v1. Its parts are escaped, and it has a query of the parameters.
export function path(parts, params = {}) {
  return "v1/" + parts.map(encodeURIComponent).join("/") + query(params);
}

// query returns a query with its question mark. Empty parameters are left out.
export function query(params) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length > 0 ? "?" + new URLSearchParams(given) : "";
}

// save lets the browser save text as a file.
export function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
