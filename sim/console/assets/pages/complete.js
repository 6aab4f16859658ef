// Completion of a scenario's keys and values, from the JSON Schema of scenarios.

// keyLine matches a line that opens a mapping or a list: its indentation, the "- " before its key, and the key.
const keyLine = /^(\s*)((?:- )*)([\w.-]+):\s*(?:#.*)?$/;

// pathAt returns the keys around a line, from the top. indent is how far the line is indented, with the "- " before it.
function pathAt(lines, number, indent) {
  const path = [];
  for (let n = number - 1, left = indent; n >= 0 && left > 0; n -= 1) {
    const [, spaces, dashes, key] = lines[n].match(keyLine) || [];
    if (key !== undefined && spaces.length + dashes.length < left) {
      path.unshift(key);
      left = spaces.length + dashes.length;
    }
  }
  return path;
}

// inFlow returns the keys of the { } that are open at the end of a line. One that was opened on a line before is not
// seen.
function inFlow(text) {
  const open = [];
  for (const [bracket, key] of text.matchAll(/(?:([\w.-]+):\s*)?[{[]|[}\]]/g)) {
    if (bracket === "}" || bracket === "]") open.pop();
    else open.push(key);
  }
  return open.filter(Boolean);
}

// completion returns a source of completions for CodeMirror.
export function completion(schema) {
  const resolve = (s) => (s?.$ref ? resolve(schema.$defs[s.$ref.split("/").pop()]) : s) || {};
  // forms returns a schema with all that it can be.
  const forms = (s) => {
    const own = resolve(s);
    return [own, ...(own.anyOf || []).flatMap(forms), ...(own.items ? forms(own.items) : [])];
  };
  const member = (s, key) => forms(s).map((form) => form.properties?.[key]).find(Boolean);
  const at = (path) => path.reduce((s, key) => s && member(s, key), schema.$defs.scenario);
  const about = (s) => s.description || resolve(s).description;
  return (context) => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const lines = context.state.doc.toString().split("\n");
    const [, lead] = before.match(/^((?:\s|- )*)/);
    const outer = pathAt(lines, line.number - 1, lead.length);
    const flow = inFlow(before.slice(lead.length));
    const [, key, value] = before.match(/(?:^|[\s{,])([\w.-]+):\s+"?([\w.-]*)$/) || [];
    if (key !== undefined) {
      const of = member(at([...outer, ...flow]), key);
      const valuesOf = (s) => s.enum || (s.type === "boolean" ? [true, false] : s.examples || []);
      const values = of ? forms(of).flatMap(valuesOf) : [];
      return { from: context.pos - value.length, options: [...new Set(values)].map((v) => ({ label: String(v),
        type: "constant" })) };
    }
    const [word] = before.match(/[\w.-]*$/);
    if (!/(^|[\s{,])$/.test(before.slice(0, before.length - word.length))) return null;
    if (word === "" && !context.explicit) return null;
    const here = at([...outer, ...flow]);
    const members = here ? forms(here).flatMap((s) => Object.entries(s.properties || {})) : [];
    return { from: context.pos - word.length, options: members.map(([label, s]) => ({ label, apply: label + ": ",
      type: "property", info: about(s) })) };
  };
}
