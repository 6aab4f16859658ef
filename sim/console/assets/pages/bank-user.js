// One user of the bank, to look at and to change, and tokens.

import { html, useRef, useState } from "../vendor/preact.js";
import { at, call } from "../api.js";
import { useAction, useCall } from "../hooks.js";
import { href } from "../route.js";
import { Button, Card, Check, Code, Copy, Facts, Field, Loaded, Options, Problem, Row, Table, Tag, day } from "../ui.js";

// The statuses that a patch can give to disclosures.
const statuses = ["ACCEPTED", "NOT_ACCEPTED"];

export function User({ sandbox, institution, user, row, changed, onClose }) {
  const about = useCall(at(sandbox, ["users"], { institution, user }), { every: 15000 });
  const from = useCall(at(sandbox, ["state"], { institution, user, limit: 200 }), { every: 5000 });
  const data = useRef(null);
  data.current = from.data;
  // What a patch answers is shown until the user is loaded again.
  const [patched, setPatched] = useState({});
  const patch = useAction(async (rest, body) => {
    const answer = await call(at(sandbox, ["institutions", institution, "users", user, ...rest]), { method: "PATCH", body });
    setPatched({ over: data.current, id: rest[1], answer });
    from.reload();
    about.reload();
    changed();
    const [[name, value]] = Object.entries(body);
    return `${name} of ${rest[1] || "user " + user} is ${value}. The next answer follows it.`;
  });
  const now = (user) => {
    if (patched.over !== from.data) return user;
    if (!patched.id) return patched.answer;
    return { ...user, accounts: user.accounts.map((a) => (a.accountId === patched.id ? patched.answer : a)) };
  };
  return html`<${Card} id="bank-user-title" title=${"User " + user} actions=${html`<button type="button" class="small"
    onClick=${onClose}>Close</button>`}>
    <${Problem} error=${patch.error} />
    <${Loaded} from=${from}>
      ${({ institutions: [part] }) => html`<${Details} sandbox=${sandbox} institution=${institution} part=${part} of=${now(part.users[0])}
        about=${about.data?.users[0]} row=${row} patch=${patch} reload=${() => {
        from.reload();
        changed();
      }} />`}
    <//>
  <//>`;
}

function Details({ sandbox, institution, part, of, about, row, patch, reload }) {
  const user = of.hostUserId;
  return html`
    ${about && html`<p>${about.goodFor.map((text) => html`<${Tag} kind="accent">${text}<//> `)}</p>`}
    <${Facts} of=${[["username", of.username && html`${of.username} <${Copy} text=${of.username}
      what="username" />`], ["password", about?.password && html`<code>${about.password}</code> <${Copy} text=${about.password}
      what="password" />`]]} />
    <${Check} label="Active" checked=${of.active} disabled=${patch.busy} onChange=${(active) => patch.run([], { active })} />
    <h3>User-level disclosures</h3>
    <${Table} caption="User-level disclosures" columns=${["Name", "Status", "Updated", "Paper waiver"]}
      empty="None: a status that is chosen creates one.">
      ${of.disclosures.map((d) => html`<tr><td>${d.institutionDisclosureName}</td><td>${d.institutionDisclosureStatus}</td>
        <td>${day(d.institutionUserDisclosureStatusUpdateDateTime)}</td><td>${d.paperWaiver ? "yes" : "no"}</td></tr>`)}
    <//>
    <p class="row"><label>All of them: <${Status} of=${of.disclosures} label="Status of the user-level disclosures" busy=${patch.busy}
      set=${(disclosureStatus) => patch.run([], { disclosureStatus })} /></label></p>
    <h3>Accounts</h3>
    <${Table} caption="Accounts" columns=${["Account", "E-statements", "Disclosures", "Update fails"]} empty="The user has no accounts.">
      ${of.accounts.slice(0, 200).map((a) => {
        const set = (body) => patch.run(["accounts", a.accountId], body);
        return html`<${Row} key=${a.accountId} marked=${row === `accounts/${institution}/${user}/${a.accountId}`}>
          <td>${a.accountId}</td>
          <td><input type="checkbox" aria-label=${"activateEstatement of " + a.accountId} checked=${a.activateEstatement}
            disabled=${patch.busy} onChange=${(event) => set({ activateEstatement: event.target.checked })} /></td>
          <td><${Status} of=${a.disclosures} label=${"Status of the disclosures of " + a.accountId} busy=${patch.busy}
            set=${(disclosureStatus) => set({ disclosureStatus })} /></td>
          <td><input type="checkbox" aria-label=${"updateFails of " + a.accountId} checked=${Boolean(a.updateFails)}
            disabled=${patch.busy} onChange=${(event) => set({ updateFails: event.target.checked })} /></td>
        <//>`;
      })}
    <//>
    ${of.accounts.length > 200 && html`<p class="note">200 of ${of.accounts.length} accounts are shown.</p>`}
    <h3>Tokens that reach the user</h3>
    ${about?.tokens.length > 0 && html`<p>From the scenario: ${about.tokens.map((t) => html`<code>${t}</code> <${Copy} text=${t}
      what=${"token " + t} /> `)}</p>`}
    <${Tokens} sandbox=${sandbox} of=${part.tokens} row=${row} />
    <details><summary>Mint a token for the user</summary><${Mint} plain sandbox=${sandbox} institution=${institution} user=${user}
      clients=${part.clients} onDone=${reload} /></details>
    <h3>Alert preferences</h3>
    <${Alerts} institution=${institution} row=${row} of=${of.alertPreferences.map((a) => [user, a])} />
  `;
}

// Status chooses the status of disclosures, all of them together.
function Status({ of, label, set, busy }) {
  const found = new Set(of.map((d) => d.institutionDisclosureStatus));
  const now = found.size === 1 ? [...found][0] : "";
  const options = statuses.includes(now) ? statuses : [[now, found.size ? now || "several" : "none"], ...statuses];
  return html`<select aria-label=${label} disabled=${busy} onChange=${(event) => event.target.value && set(event.target.value)}>
    <${Options} of=${options} value=${now} />
  </select>`;
}

// Alerts are alert preferences: [user, preference]. With user, a column says whose they are.
export function Alerts({ of, institution, row, user }) {
  const columns = ["Id", "Type, channel", "Account", "Opted", "More"];
  if (user) columns.unshift("User");
  return html`<${Table} caption="Alert preferences by id" columns=${columns}
    empty="None. An app creates alert preferences, or the scenario has them.">
    ${of.slice(0, 500).map(([whose, a]) => {
      const { alertPrefId, alertTypeName, channelTypeName, ...more } = a.alertPreferenceDetails;
      if (a.additionalInfo !== undefined) more.additionalInfo = a.additionalInfo;
      if (a.allowCallback !== undefined) more.allowCallback = a.allowCallback;
      if (a.defaultPreferences !== undefined) more.defaultPreferences = a.defaultPreferences;
      return html`<${Row} key=${alertPrefId} marked=${row === `alertPreferences/${institution}/${whose}/${alertPrefId}`}>
        ${user && html`<td>${whose || html`<span class="quiet">no user</span>`}</td>`}
        <td>${alertPrefId}</td>
        <td>${[alertTypeName, channelTypeName].filter(Boolean).join(", ")}</td>
        <td>${a.alertPreferenceAccountDetails?.accountId || a.alertPreferenceAccountDetails?.accountExternalId}</td>
        <td>${a.alertOpted === undefined ? "" : a.alertOpted ? "yes" : "no"}</td>
        <td>${Object.keys(more).length > 0 && html`<code>${JSON.stringify(more)}</code>`}</td>
      <//>`;
    })}
  <//>`;
}

// Tokens are shown with their fingerprints: nobody can use what is seen here.
export function Tokens({ sandbox, of, row }) {
  const clock = useCall(at(sandbox, ["clock"]), { every: 10000 });
  const now = clock.data?.now || "";
  return html`<${Table} caption="Tokens by fingerprint" columns=${["Token", "State", "Client", "User", "Grant type", "Expires"]}
    empty="None. An app issues tokens, the scenario has them, or mint one here.">
    ${of.map(
      (t) => html`<${Row} key=${t.row} marked=${row === t.row}>
        <td>${!t.accessToken && "code "}<code>${t.accessToken || t.code}</code>${t.refreshToken && html`<br /><span
          class="quiet">refresh <code>${t.refreshToken}</code></span>`}</td>
        <td><${State} of=${t} now=${now} /></td>
        <td class="nowrap">${t.client}</td>
        <td>${t.hostUserId
          ? html`<a href=${href("bank", sandbox, { row: `users/${t.row.split("/")[1]}/${t.hostUserId}` })}>${t.hostUserId}</a>`
          : html`<span class="quiet">any</span>`}</td>
        <td>${t.grantType}</td>
        <td class="nowrap">${day(t.expiresAt)}${t.refreshExpiresAt && html`<br /><span
          class="quiet">refresh ${day(t.refreshExpiresAt)}</span>`}</td>
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
      <${Field} as="select" label="Client" value=${client || clients[0]} onInput=${setClient}><${Options} of=${clients}
        value=${client || clients[0]} /><//>
      <${Field} label="User (empty: any)" value=${hostUserId} onInput=${setUser} size="12" />
      <${Field} label="Valid for (empty: as issued)" value=${expiresIn} onInput=${setExpires} placeholder="15m" size="8" />
      <${Button} kind="main" type="submit" busy=${mint.busy} disabled=${clients.length === 0}>Mint<//>
    </form>
    ${clients.length === 0 && html`<p class="hint">The institution has no client that could hold a token: the scenario gives it some.</p>`}
    <${Problem} error=${mint.error} />
    ${minted && html`<div class="bank-new">
      <p>Copy it now: from here on, only its fingerprint is shown. It is valid until ${day(minted.expiresAt)} of the bank’s
        clock${minted.hostUserId ? `, for user ${minted.hostUserId}` : ""}.</p>
      <${Code} label="the new token" text=${minted.accessToken} />
    </div>`}`;
  return plain ? form : html`<${Card} title="Mint a token">${form}<//>`;
}
