// What an app needs to use a sandbox: URLs, a token and a first request to copy.

import { html, useState } from "../vendor/preact.js";
import { at } from "../api.js";
import { useCall } from "../hooks.js";
import { href } from "../route.js";
import { Card, Copy, Options, Problem, plural } from "../ui.js";

export function Connect({ sandbox, info, first }) {
  const users = useCall(at(sandbox, ["users"]));
  const [chosen, choose] = useState("");
  const tokens = tokensOf(users.data);
  const token = chosen || tokens[0]?.[0];
  return html`<${Card} title="Point an app here">
    <${Line} name="Base URL" text=${info.baseUrl} />
    ${info.httpsUrl && html`<${Line} name="HTTPS" text=${info.httpsUrl} />`}
    ${token && html`<${Line} name="Token" text=${token}>
      <select aria-label="Token" onChange=${(event) => choose(event.target.value)}>
        <${Options} of=${tokens} value=${token} />
      </select>
    <//>`}
    ${first && users.data && html`<${Line} name="Example" text=${curl(info.baseUrl, first, token)} />`}
    ${users.data && !token &&
    html`<p class="hint">No user has a token: <a href=${href("bank", sandbox)}>mint one</a>.</p>`}
    <${Problem} error=${users.error} />
  <//>`;
}

// Line is a text to copy. The child, if there is one, is shown in its place.
function Line({ name, text, children }) {
  return html`<div class="to-copy">
    <span>${name}</span>${children || html`<code>${text}</code>`}<${Copy} text=${text} what=${name} />
  </div>`;
}

// tokensOf returns the tokens of users, each with a text that names the users. data is the answer of …/users, or null.
export function tokensOf(data) {
  const owners = new Map();
  for (const { hostUserId, tokens } of data?.users || []) {
    for (const token of tokens) owners.set(token, [...(owners.get(token) || []), hostUserId]);
  }
  const name = (ids) => (ids.length === 1 ? "user " + ids[0] : plural(ids.length, "user"));
  return [...owners].map(([token, ids]) => [token, `${token}, for ${name(ids)}`]);
}

// curl returns a command for any POSIX shell.
function curl(baseUrl, { method, path, headers }, token) {
  const all = token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
  const options = Object.entries(all).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  return ["curl", "-X", method, quote(baseUrl + path), ...options].join(" ");
}

function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
