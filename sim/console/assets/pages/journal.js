// The page Journal.

import { html } from "../vendor/preact.js";

export function Journal() {
  return html`<p class="quiet">Nothing here yet.</p>`;
}
