// The page Sandboxes.

import { html } from "../vendor/preact.js";

export function Sandboxes() {
  return html`<p class="quiet">Nothing here yet.</p>`;
}
