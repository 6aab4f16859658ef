// One user of the bank, to look at and to change, and tokens.

import { html, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { href } from "../route.js";
import { Button, Card, Check, Code, Copy, Facts, Field, Form, Loaded, Options, Problem, Row, Table, Tag,
  day } from "../ui.js";

export function User({ sandbox, institution, user, row, changed, onClose }) {
  const about = useCall(at(sandbox, ["users"], { institution, user }), { every: 15000 });
  const from = useCall(at(sandbox, ["state"], { institution, user, limit: 200 }), { every: 5000 });
  const reload = () => {
    from.reload();
    about.reload();
    changed();
  };
  const patch = useAction(async (rest, body) => {
    await call(at(sandbox, ["institutions", institution, "users", user, ...rest]), { method: "PATCH", body });
    reload();
    const [[name, value]] = Object.entries(body);
    return `${name} of ${rest[1] || "user " + user} is ${value}. The next answer follows it.`;
  });
  const close = html`<button type="button" class="small" onClick=${onClose}>Close</button>`;
  const details = ({ institutions: [part] }) => html`<${Details} sandbox=${sandbox} institution=${institution}
    part=${part}
    about=${about.data?.users[0]} row=${row} patch=${patch} reload=${reload} />`;
  return html`<${Card} id="bank-user-title" title=${"User " + user} actions=${close}>
    <${Problem} error=${patch.error} />
    <${Loaded} from=${from}>${details}<//>
  <//>`;
}

function Details({ sandbox, institution, part, about = { goodFor: [], tokens: [] }, row, patch, reload }) {
  const [found] = part.users;
  const user = found.hostUserId;
  const copied = (text, what) => html`<code>${text}</code> <${Copy} text=${text} what=${what} /> `;
  const fact = (what, text) => [what, text && copied(text, what)];
  const disclosure = (d) => html`<tr>
    <td>${d.institutionDisclosureName}</td>
    <td>${d.institutionDisclosureStatus}</td>
    <td>${day(d.institutionUserDisclosureStatusUpdateDateTime)}</td>
    <td>${d.paperWaiver ? "yes" : "no"}</td>
  </tr>`;
  const account = (a) => {
    const set = (body) => patch.run(["accounts", a.accountId], body);
    const check = (name, label) => html`<td data-label=${label}><input type="checkbox"
      aria-label=${`${name} of ${a.accountId}`}
      checked=${Boolean(a[name])} disabled=${patch.busy} onChange=${(event) =>
        set({ [name]: event.target.checked })} /></td>`;
    return html`<${Row} key=${a.accountId} marked=${row === `accounts/${institution}/${user}/${a.accountId}`}>
      <td>${a.accountId}</td>
      ${check("activateEstatement", "E-statements")}
      <td data-label="Disclosures"><${DisclosureStatus} disclosures=${a.disclosures}
        label=${"Status of the disclosures of " + a.accountId} busy=${patch.busy}
        set=${(disclosureStatus) => set({ disclosureStatus })} /></td>
      ${check("updateFails", "Update fails")}
    <//>`;
  };
  const some = html`<p class="quiet">200 of ${found.accounts.length} accounts are shown.</p>`;
  return html`
    <p>${about.goodFor.map((text) => [html`<${Tag} kind="accent">${text}<//>`, " "])}</p>
    <${Facts} of=${[fact("username", found.username), fact("password", about.password)]} />
    <${Check} label="Active" checked=${found.active} disabled=${patch.busy} onChange=${(active) => patch.run([],
      { active })} />
    <${Check} label="Locked" checked=${found.status?.locked} disabled=${patch.busy} onChange=${(locked) => patch.run([],
      { locked })} />
    <h3>User-level disclosures</h3>
    <${Table} caption="User-level disclosures" columns=${["Name", "Status", "Updated", "Paper waiver"]}
      empty="None: a status that is chosen creates one.">${found.disclosures.map(disclosure)}<//>
    <p><label>All of them: <${DisclosureStatus} disclosures=${found.disclosures}
      label="Status of the user-level disclosures" busy=${patch.busy}
      set=${(disclosureStatus) => patch.run([], { disclosureStatus })} /></label></p>
    <h3>Accounts</h3>
    <${Table} caption="Accounts" narrow columns=${["Account", "E-statements", "Disclosures", "Update fails"]}
      empty="The user has no accounts.">${found.accounts.slice(0, 200).map(account)}<//>
    ${found.accounts.length > 200 && some}
    <h3>Tokens that reach the user</h3>
    <p>${about.tokens.length > 0 && "From the scenario: "}${about.tokens.map((t) => copied(t, "token " + t))}</p>
    <${Tokens} sandbox=${sandbox} tokens=${part.tokens} row=${row} />
    <details><summary>Mint a token for the user</summary><${Mint} plain sandbox=${sandbox} institution=${institution}
      user=${user}
      clients=${part.clients} onDone=${reload} /></details>
    <h3>Alert preferences</h3>
    <${Alerts} institution=${institution} row=${row} alerts=${found.alertPreferences.map((a) => [user, a])} />
  `;
}

// DisclosureStatus chooses the status of disclosures, all of them together.
function DisclosureStatus({ disclosures, label, set, busy }) {
  const found = [...new Set(disclosures.map((d) => d.institutionDisclosureStatus))];
  const now = found.length === 1 ? found[0] : found.length ? "several" : "none";
  return html`<select aria-label=${label} disabled=${busy} onChange=${(event) => set(event.target.value)}>
    <${Options} of=${[...new Set([now, "ACCEPTED", "NOT_ACCEPTED"])]} value=${now} />
  </select>`;
}

// Alerts lists alert preferences: [user, preference]. With user, a column says whose they are.
export function Alerts({ alerts, institution, row, user }) {
  const columns = ["Id", "Type, channel", "Account", "Opted", "More"];
  const alert = ([whose, { alertPreferenceDetails, alertPreferenceAccountDetails: account, alertOpted, ...a }]) => {
    const { alertPrefId, alertTypeName, channelTypeName, ...details } = alertPreferenceDetails;
    const { additionalInfo, allowCallback, defaultPreferences } = a;
    const more = JSON.stringify({ ...details, additionalInfo, allowCallback, defaultPreferences });
    const owner = user && html`<td>${whose || "no user"}</td>`;
    return html`<${Row} key=${alertPrefId} marked=${row === `alertPreferences/${institution}/${whose}/${alertPrefId}`}>
      ${owner}
      <td>${alertPrefId}</td>
      <td>${[alertTypeName, channelTypeName].filter(Boolean).join(", ")}</td>
      <td>${account?.accountId || account?.accountExternalId}</td>
      <td>${{ true: "yes", false: "no" }[alertOpted]}</td>
      <td><code>${more !== "{}" && more}</code></td>
    <//>`;
  };
  return html`<${Table} caption="Alert preferences by id" columns=${user ? ["User", ...columns] : columns}
    empty="None. An app creates alert preferences, or the scenario has them.">${alerts.slice(0, 500).map(alert)}<//>`;
}

// Tokens lists tokens by their fingerprints. A fingerprint is of no use to a caller.
export function Tokens({ sandbox, tokens, row }) {
  const clock = useCall(at(sandbox, ["clock"]), { every: 10000 });
  const refresh = (text) => text && html`<br /><span class="quiet">refresh ${text}</span>`;
  const userOf = ({ row, hostUserId }) => hostUserId && html`<a
    href=${href("bank", sandbox, { row: `users/${row.split("/")[1]}/${hostUserId}` })}>${hostUserId}</a>`;
  const token = (t) => html`<${Row} key=${t.row} marked=${row === t.row}>
    <td>${!t.accessToken && "code "}<code>${t.accessToken || t.code}</code>${refresh(t.refreshToken)}</td>
    <td><${Tag} ...${stateOf(t, clock.data?.now)} /></td>
    <td>${t.client}, ${t.grantType}</td>
    <td data-label="User">${userOf(t) || "any"}</td>
    <td data-label="Expires">${day(t.expiresAt)}${t.refreshExpiresAt && refresh(day(t.refreshExpiresAt))}</td>
  <//>`;
  return html`<${Table} caption="Tokens by fingerprint" narrow columns=${["Token", "State", "Client and grant", "User",
    "Expires"]}
    empty="None. An app issues tokens, the scenario has them, or mint one here.">${tokens.map(token)}<//>`;
}

// stateOf returns the tag of a token.
function stateOf(token, now) {
  if (token.revoked) return { children: "revoked" };
  if (token.accessTokenRevoked) return { children: "access revoked", title: "the refresh token works" };
  if (now && Date.parse(token.expiresAt) <= Date.parse(now)) return { children: "expired" };
  return { kind: "ok", children: "valid" };
}

// Mint is the form that mints a token. It shows the token once.
export function Mint({ sandbox, institution, clients, user = "", onDone, plain }) {
  const [client, setClient] = useState(clients[0]);
  const [hostUserId, setUser] = useState(user);
  const [expiresIn, setExpires] = useState("");
  const [minted, setMinted] = useState(null);
  const mint = useAction(async () => {
    const body = { institutionId: institution, client, hostUserId: hostUserId || undefined,
      expiresIn: expiresIn || undefined };
    setMinted(await call(at(sandbox, ["tokens"]), { body }));
    onDone();
    return "A token was minted.";
  });
  const none = html`<p class="hint">The institution has no client that could hold a token. The scenario gives it
    some.</p>`;
  const token = minted && html`<div class="bank-new">
    <p>Copy it now: from here on, only its fingerprint is shown. It is valid until ${day(minted.expiresAt)} of the
      bank’s
      clock${minted.hostUserId && `, for user ${minted.hostUserId}`}.</p>
    <${Code} label="the new token" text=${minted.accessToken} />
  </div>`;
  const form = html`<${Form} class="row" onSubmit=${mint.run}>
      <${Field} as="select" label="Client" value=${client} onInput=${setClient}><${Options} of=${clients}
        value=${client} /><//>
      <${Field} label="User (empty: any)" value=${hostUserId} onInput=${setUser} size="12" />
      <${Field} label="Valid for (empty: as issued)" value=${expiresIn} onInput=${setExpires} placeholder="15m"
        size="8" />
      <${Button} kind="main" type="submit" busy=${mint.busy} disabled=${clients.length === 0}>Mint<//>
    <//>
    ${clients.length === 0 && none}
    <${Problem} error=${mint.error} />
    ${token}`;
  return plain ? form : html`<${Card} title="Mint a token">${form}<//>`;
}
