// The page Contract.

import { html } from "../vendor/preact.js";

export function Contract() {
  return html`<p class="quiet">Nothing here yet.</p>`;
}
