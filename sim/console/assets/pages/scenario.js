// The page Scenario.

import { html } from "../vendor/preact.js";

export function Scenario() {
  return html`<p class="quiet">Nothing here yet.</p>`;
}
