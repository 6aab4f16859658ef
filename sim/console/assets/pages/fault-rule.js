// A fault rule as parameters of the URL, as an object, and as YAML.

// Short names of parameters, for links.
const short = { status: "then.status", code: "then.error.code", message: "then.error.message", delay: "then.delay",
  connection: "then.connection", first: "when.first" };

const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

// Maps are written in a field as a line for each name: Name: value.
const mapLike = /^(then\.headers|when\.request\.(header|query|body))$/;

// ruleParams returns a rule as parameters: a text for each path, such as when.first.
export function ruleParams(rule) {
  const params = {};
  const walk = (value, path) => {
    if (mapLike.test(path)) params[path] = Object.entries(value).map(([name, of]) =>
      `${name}: ${typeof of === "string" && !parses(of) && !of.includes("\n") ? of : JSON.stringify(of)}`).join("\n");
    else if (path === "then.connection" && isMap(value)) {
      const [kind] = Object.keys(value);
      params[path] = kind;
      if (isMap(value[kind])) walk(value[kind], `${path}.${kind}`);
      else params[`${path}.${kind}`] = String(value[kind]);
    } else if (isMap(value)) for (const [name, of] of Object.entries(value)) walk(of, path ? `${path}.${name}` : name);
    else if (Array.isArray(value)) params[path] = value.join(path === "operation" ? "," : ", ");
    else if (path === "then.body" && value === "") params.answer = "body";
    else if (value !== undefined) params[path] = String(value);
  };
  walk(rule, "");
  return params;
}

// whole returns parameters with the short names written out.
export function whole(params) {
  const all = { ...params };
  for (const [name, path] of Object.entries(short)) {
    if (name in all && !(path in all)) all[path] = all[name];
    delete all[name];
  }
  return all;
}

function parses(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const numeric = (text) => /^(-?\d+(\.\d+)?|true|false|null)$/.test(text);

// value returns what a text of a field stands for: a number where numbers are wanted, and otherwise a text.
const value = (text, number) => (number && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);

// lines returns the map of lines such as Name: value. In a body, JSON is a value as it is; elsewhere only null is, for a
// header or parameter that must be absent.
function lines(text, json) {
  const map = {};
  for (const line of text.split("\n").filter((l) => l.trim() !== "")) {
    const [, name, rest] = line.match(/^([^:]*):?(.*)$/);
    let of = rest.trim();
    if (of === "null" || json) {
      try {
        of = JSON.parse(of);
      } catch {
        // it is a text
      }
    } else if (/^".*"$/.test(of) && numeric(of.slice(1, -1))) of = of.slice(1, -1);
    map[name.trim()] = of;
  }
  return map;
}

// subject returns what a rule is for: its operations or, for a stub, its method and path.
export const subject = (rule) => (rule.path ? `${rule.method || "any method"} ${rule.path}` : [rule.operation ?? "all"].flat().join(", "));

// isStub reports whether parameters are those of a stub, which has a path in place of an operation.
export const isStub = (params) => Boolean(params.stub || params.path || params.method);

// ruleOf returns the rule of parameters. numbers are the paths whose values are numbers, conditions those of when in order.
export function ruleOf(params, numbers, conditions) {
  const get = (path) => (params[path] === "" ? undefined : params[path]);
  const rule = {};
  const put = (path, of) => {
    if (of === undefined) return;
    const names = path.split(".");
    const last = names.pop();
    let into = rule;
    for (const name of names) into = into[name] ??= {};
    into[last] = of;
  };
  const plain = (path) => put(path, get(path) === undefined ? undefined : value(get(path), numbers.has(path)));
  plain("name");
  const operations = (get("operation") || "").split(",").filter(Boolean);
  put("operation", operations.length > 1 ? operations : operations[0]);
  if (isStub(params)) ["method", "path"].forEach(plain);
  for (const path of new Set([...conditions, ...Object.keys(params).filter((p) => p.startsWith("when."))])) {
    if (!mapLike.test(path)) plain(path);
    else if (get(path)) put(path, lines(get(path), path.endsWith("body")));
  }
  plain("phase");
  put("off", get("off") && true);
  rule.then = {};
  const kind = get("then.connection");
  if (get("then.status") !== "other") plain("then.status");
  if (get("then.error.code") !== "other") plain("then.error.code");
  plain("then.error.message");
  if (get("then.body") !== undefined || params.answer === "body") put("then.body", get("then.body") ?? "");
  put("then.expireToken", get("then.expireToken") && true); // the form keeps it, and has no field for it
  if (get("then.headers")) put("then.headers", lines(get("then.headers"), false));
  if (get("then.delay.uniform")) put("then.delay.uniform", get("then.delay.uniform").split(",").map((s) => s.trim()));
  const delays = ["then.delay.p50", "then.delay.p95", "then.delay.lognormal.median", "then.delay.lognormal.sigma"].filter(get);
  delays.forEach((path) => put(path, value(get(path), path.endsWith("sigma"))));
  if (!rule.then.delay) plain("then.delay");
  if (kind) {
    const measure = get(`then.connection.${kind}`);
    const parts = Object.keys(params).filter((p) => p.startsWith(`then.connection.${kind}.`) && get(p) !== undefined);
    if (measure !== undefined) put(`then.connection.${kind}`, value(measure, numbers.has(`then.connection.${kind}`)));
    else if (parts.length > 0) parts.forEach((p) => put(p, value(get(p), numbers.has(p))));
    else put("then.connection", kind);
  }
  return rule;
}

// scalar returns a value as YAML. What could be read as something else, or isn't printable, is in quotes.
function scalar(of) {
  if (typeof of !== "string") return Array.isArray(of) || isMap(of) ? JSON.stringify(of) : String(of);
  const word = /^[A-Za-z][\w.*/+-]*( [\w.*/+-]+)*$/.test(of) && !/^(true|false|yes|no|on|off|null|y|n|\.inf|\.nan)$/i.test(of);
  if (word || /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(of)) return of;
  return JSON.stringify(of).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

// yaml returns a rule as it is written in a scenario, below faults, and the path of what each line has.
export function yaml(rule) {
  const text = ["faults:"];
  const paths = [""];
  const write = (map, path, indent) => {
    for (const [name, of] of Object.entries(map)) {
      const at = path ? `${path}.${name}` : name;
      const deep = isMap(of) && Object.keys(of).length > 0;
      const dash = text.length === 1 ? "  - " : indent;
      const key = /^[A-Za-z_][\w-]*$/.test(name) ? scalar(name) : JSON.stringify(name);
      const flat = isMap(of) ? "{}" : Array.isArray(of) ? `[${of.map(scalar).join(", ")}]` : scalar(of);
      text.push(`${dash}${key}:${deep ? "" : " " + flat}`);
      paths.push(at);
      if (deep) write(of, at, indent + "  ");
    }
  };
  write(rule, "", "    ");
  return { text: text.join("\n") + "\n", paths };
}
