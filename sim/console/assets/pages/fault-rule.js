// A fault rule as a sentence, as parameters of the URL, as an object, and as YAML.

// The members of a rule, in their order in YAML.
const members = ["name", "operation", "method", "path", "when", "phase", "off", "required", "from", "then"];
const memberOf = (path) => members.indexOf(path.split(".")[0]);

const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

// Maps are written in a field with a line for each name: Name: value.
const mapLike = /^(then\.headers|when\.request\.(header|query|body))$/;
const numeric =
  /^(when\.(first|nth|every|after|probability|rate\.requests)|then\.status|then\..*\.(sigma|truncate|bytes))$/;
const boolean = /^(off|required|then\.expireToken)$/;

// ruleParams returns a rule as parameters: a text for each path, such as when.first.
export function ruleParams(rule) {
  const params = {};
  const walk = (value, path) => {
    if (mapLike.test(path)) params[path] = Object.entries(value).map(([name, text]) =>
      `${name}: ${typeof text === "string" && !parses(text) && !text.includes("\n") ? text
        : JSON.stringify(text)}`).join("\n");
    else if (path === "then.body" && typeof value === "object") params[path] = JSON.stringify(value);
    else if (path === "then.connection" && isMap(value)) {
      const [kind] = Object.keys(value);
      params[path] = kind;
      walk(value[kind], `${path}.${kind}`);
    } else if (isMap(value)) {
      for (const [name, inner] of Object.entries(value)) walk(inner, path ? `${path}.${name}` : name);
    } else if (Array.isArray(value)) params[path] = value.join(path === "operation" ? "," : ", ");
    else if (path === "then.body" && value === "") params.answer = "body";
    else if (value !== undefined) params[path] = String(value);
  };
  walk(rule, "");
  return params;
}

// definition returns a rule without what the server counts and says about it.
export const definition = ({ matched, fired, effective, summary, ...rule }) => rule;

// shortDurations returns a rule with short durations: 5m in place of 5m0s.
export function shortDurations(rule) {
  const shorten = (value) => {
    if (Array.isArray(value)) return value.map(shorten);
    if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]));
    return /^(\d+h)?\d+m0s$/.test(value) ? value.slice(0, -2).replace(/h0m$/, "h") : value;
  };
  const shortenIn = (map, names) => ({ ...map, ...Object.fromEntries(names.filter((name) => map[name] !== undefined)
    .map((name) => [name, shorten(map[name])])) });
  const { when, then } = rule;
  return { ...rule, ...(when && { when: shortenIn(when, ["during"]) }),
    then: shortenIn(then, ["delay", "connection"]) };
}

// brokenJSON returns why a text that looks like JSON can't be read as JSON, or "".
export function brokenJSON(text = "") {
  if (!/^\s*[{[]/.test(text)) return "";
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return error.message;
  }
}

// isExactJSON reports whether a text is an object or a list in JSON, none of whose values is altered by JavaScript.
const isExactJSON = (text) => /^\s*[{[]/.test(text) && parses(text)
  && JSON.stringify(JSON.parse(text)).replace(/\s/g, "") === text.replace(/\s/g, "");

function parses(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// valueOf returns the value of a field: a number where the rule has a number, and otherwise a text.
function valueOf(path, text) {
  if (mapLike.test(path)) return lines(text, path.endsWith("body"));
  if (boolean.test(path)) return true;
  if (path === "then.body" && isExactJSON(text)) return JSON.parse(text);
  if (path === "then.delay.uniform") return text.split(",").map((s) => s.trim());
  if (path === "operation" && text.includes(",")) return text.split(",").filter(Boolean);
  return numeric.test(path) && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

// lines returns the map of lines such as Name: value. In a body, a value is JSON if it can be read as JSON. Elsewhere
// JSON is a list, a quoted word, or null. null means that a header or a parameter must be absent.
function lines(text, json) {
  const map = {};
  for (const line of text.split("\n").filter((l) => l.trim() !== "")) {
    const [, name, rest] = line.match(/^([^:]*):?(.*)$/);
    const word = rest.trim();
    const isJSON = json || /^(null|\[.*\]|"(-?\d+(\.\d+)?|true|false|null)")$/.test(word);
    map[name.trim()] = isJSON && parses(word) ? JSON.parse(word) : word;
  }
  return map;
}

// isStub reports whether parameters describe a stub. A stub has a path in place of an operation.
export const isStub = (params) => Boolean(params.stub || params.path || params.method);

// ruleOf returns the rule of parameters. It is the inverse of ruleParams.
export function ruleOf(params) {
  const rule = {};
  const put = (path, member) => {
    const names = path.split(".");
    const last = names.pop();
    let into = rule;
    for (const name of names) into = isMap(into[name]) ? into[name] : (into[name] = {});
    if (!isMap(into[last])) into[last] = member;
  };
  const paths = Object.keys(params).filter((p) => memberOf(p) >= 0 && params[p] !== "");
  for (const path of paths.sort((a, b) => memberOf(a) - memberOf(b))) put(path, valueOf(path, params[path]));
  rule.then ??= {};
  if (params.answer === "body") rule.then.body ??= "";
  return rule;
}

// ordinal returns 1st, 2nd, 3rd, 4th …
function ordinal(n) {
  const last = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
  return `${n}${["th", "st", "nd", "rd"][last] || "th"}`;
}

const and = (texts) => [texts.slice(0, -1).join(", "), ...texts.slice(-1)].filter(Boolean).join(" and ");

// Which calls: the first of these conditions begins the sentence. Others follow.
const countPhrases = {
  first: (n, who) => (n === 1 ? `The first call of ${who}` : `The first ${n} calls of ${who}`),
  nth: (n, who) => `The ${ordinal(n)} call of ${who}`,
  every: (n, who) => `Every ${ordinal(n)} call of ${who}`,
  after: (n, who) => `All calls of ${who} after the ${ordinal(n)}`,
};

// pairs returns the members of a map as texts, such as from 1m.
const pairs = (map) => Object.entries(ruleParams(map)).map(([name, text]) => `${name} ${text}`);

const damaged = { truncate: "truncated", malformed: "malformed", dribble: "dribbled", garbage: "garbled" };

// What happens to several calls.
const effectPhrases = {
  status: ({ status, error: { code, message } = {} }) => {
    const words = ["answer", status, code, message && `“${message}”`];
    return words.filter(Boolean).join(" ");
  },
  forward: ({ forward }) => `are forwarded to ${forward.url ?? forward}`,
  headers: ({ headers }) => {
    const names = Object.keys(headers);
    return `get the ${names.length === 1 ? "header" : "headers"} ${and(names)}`;
  },
  expireToken: () => "find their token expired",
  stale: ({ stale }) => `get an answer that is ${stale} old`,
  delay: ({ delay }) => {
    const text = delay.uniform ? delay.uniform.join(" to ") : isMap(delay) ? and(pairs(delay)) : delay;
    return `are delayed by ${text}`;
  },
  connection: ({ connection }) => {
    const kind = isMap(connection) ? Object.keys(connection)[0] : connection;
    return damaged[kind] ? `get a ${damaged[kind]} answer` : `lose their connection (${kind})`;
  },
};

// ofOne turns what several calls do into what one call does.
export const ofOne = (text) => text.replace("their", "its").replace(/^are\b/, "is")
  .replace(/^(answer|get|find|lose)\b/, "$1s");

// subject returns what a rule is for: its operations or, for a stub, its path.
function subject({ method = "", path, operation = "*" }) {
  if (path) return `${method} ${path}`.trim();
  return operation === "*" ? "all operations" : and([operation].flat());
}

// sentence says in words what a rule does.
export function sentence(rule) {
  const { when = {}, then = {} } = rule;
  const who = subject(rule);
  const count = Object.keys(countPhrases).find((key) => when[key]);
  const all = rule.path ? who : `All calls of ${who}`.replace(" of all operations", "");
  const start = count ? countPhrases[count](when[count], who) : all;
  const { during = {}, rate, request = {}, ...rest } = { ...when, [count]: undefined };
  const beyond = rate && `beyond ${rate.requests} in ${rate.per}${rate.by ? ` by ${rate.by}` : ""}`;
  const conditions = [...pairs(rest), beyond, pairs(during).join(" "), and(pairs(request))].filter(Boolean);
  const said = { ...then, status: then.status ?? then.error ?? then.body };
  const effects = Object.keys(effectPhrases).filter((key) => said[key] !== undefined)
    .map((key) => effectPhrases[key](then));
  const many = /^(All|The first \d)/.test(start);
  const calls = conditions.length > 0 ? `${start} (${conditions.join("; ")})` : start;
  const late = rule.phase === "after" ? " after the change" : "";
  return `${calls} ${and(many ? effects : effects.map(ofOne))}${late}${rule.path ? " (a stub)" : ""}.`;
}

// scalar returns a value as YAML. It quotes what YAML could read as something else, and what isn't printable.
function scalar(text) {
  if (typeof text !== "string") return Array.isArray(text) || isMap(text) ? JSON.stringify(text) : String(text);
  const word = /^[A-Za-z][\w.*/+-]*( [\w.*/+-]+)*$/.test(text) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(text);
  if (word || /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return text;
  const escape = (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0");
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escape);
}

// yaml returns a rule as a scenario has it below faults, and the path of each line.
export function yaml(rule) {
  const text = ["faults:"];
  const paths = [""];
  const write = (map, path, indent) => {
    for (const [name, member] of Object.entries(map)) {
      const at = path ? `${path}.${name}` : name;
      const deep = isMap(member) && Object.keys(member).length > 0;
      const key = /^[A-Za-z_][\w-]*$/.test(name) ? scalar(name) : JSON.stringify(name);
      const flat = isMap(member) ? "{}" : Array.isArray(member) ? `[${member.map(scalar).join(", ")}]` : scalar(member);
      text.push(`${text.length === 1 ? "  - " : indent}${key}:${deep ? "" : " " + flat}`);
      paths.push(at);
      if (deep) write(member, at, indent + "  ");
    }
  };
  write(rule, "", "    ");
  return { text: text.join("\n") + "\n", paths };
}
