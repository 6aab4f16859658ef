// The page Faults.

import { html } from "../vendor/preact.js";

export function Faults() {
  return html`<p class="quiet">Nothing here yet.</p>`;
}
