// The page Bank.

import { html } from "../vendor/preact.js";

export function Bank() {
  return html`<p class="quiet">Nothing here yet.</p>`;
}
