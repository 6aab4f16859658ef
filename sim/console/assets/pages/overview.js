// The page Overview.

import { html } from "../vendor/preact.js";

export function Overview() {
  return html`<p class="quiet">Nothing here yet.</p>`;
}
