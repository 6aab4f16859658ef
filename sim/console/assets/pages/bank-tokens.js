// The tokens of an institution, and a form that mints one.

import { html, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { href } from "../route.js";
import { Button, Card, Code, Field, Options, Problem, Row, Table, Tag, day } from "../ui.js";

// Tokens are shown with their fingerprints: nobody can use what is seen here.
export function Tokens({ sandbox, of, row }) {
  const clock = useCall(at(sandbox, ["clock"]), { every: 10000 });
  const now = clock.data?.now || "";
  return html`<${Table} caption="Tokens" columns=${["Token", "State", "Client", "User", "Grant type", "Expires"]} empty="None. An app issues tokens, the scenario has them, or mint one here.">
    ${of.map(
      (t) => html`<${Row} key=${t.row} marked=${row === t.row}>
        <td><code>${t.accessToken}</code>${t.refreshToken && html`<br /><span class="quiet">refresh <code>${t.refreshToken}</code></span>`}</td>
        <td><${State} of=${t} now=${now} /></td>
        <td>${t.client}</td>
        <td>${t.hostUserId ? html`<a href=${href("bank", sandbox, { row: `users/${t.row.split("/")[1]}/${t.hostUserId}` })}>${t.hostUserId}</a>` : html`<span class="quiet">any</span>`}</td>
        <td>${t.grantType}</td>
        <td>${day(t.expiresAt)}${t.refreshExpiresAt && html`<br /><span class="quiet">refresh ${day(t.refreshExpiresAt)}</span>`}</td>
      <//>`,
    )}
  <//>`;
}

function State({ of, now }) {
  if (of.revoked) return html`<${Tag} kind="bad">revoked<//>`;
  if (of.accessTokenRevoked) return html`<${Tag} kind="bad" title="the refresh token works">access revoked<//>`;
  if (now && Date.parse(of.expiresAt) <= Date.parse(now)) return html`<${Tag} kind="warn">expired<//>`;
  return html`<${Tag} kind="ok">valid<//>`;
}

// Mint is the form that mints a token. Its text is shown this once.
export function Mint({ sandbox, institution, clients, user = "", onDone, plain }) {
  const [client, setClient] = useState("");
  const [hostUserId, setUser] = useState(user);
  const [expiresIn, setExpires] = useState("");
  const mint = useAction(async () => {
    const body = { client: client || clients[0] };
    if (hostUserId) body.hostUserId = hostUserId;
    if (expiresIn) body.expiresIn = expiresIn;
    const minted = await call(at(sandbox, ["institutions", institution, "tokens"]), { body });
    setMinted(minted);
    onDone?.(minted);
    return "A token was minted.";
  });
  const [minted, setMinted] = useState(null);
  const form = html`<form
      class="row"
      onSubmit=${(event) => {
        event.preventDefault();
        mint.run();
      }}
    >
      <${Field} as="select" label="Client" value=${client} onInput=${setClient}><${Options} of=${clients} value=${client || clients[0]} /><//>
      <${Field} label="User (empty: any)" value=${hostUserId} onInput=${setUser} size="12" />
      <${Field} label="Valid for (empty: as issued)" value=${expiresIn} onInput=${setExpires} placeholder="15m" size="8" />
      <${Button} kind="main" type="submit" busy=${mint.busy} disabled=${clients.length === 0}>Mint<//>
    </form>
    ${clients.length === 0 && html`<p class="hint">The institution has no client that could hold a token: the scenario gives it some.</p>`}
    <${Problem} error=${mint.error} />
    ${minted && html`<div class="bank-new">
      <p>Copy it now: from here on, only its fingerprint is shown. It is valid until ${day(minted.expiresAt)} of the bank’s clock${minted.hostUserId ? `, for user ${minted.hostUserId}` : ""}.</p>
      <${Code} label="the new token" text=${minted.accessToken} />
    </div>`}`;
  return plain ? form : html`<${Card} title="Mint a token">${form}<//>`;
}
