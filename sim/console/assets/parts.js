// Parts that several pages use.

import { html } from "./vendor/preact.js";

// Form calls onSubmit when it is sent.
export function Form({ onSubmit, children, ...rest }) {
  return html`<form ...${rest} onSubmit=${(event) => {
    event.preventDefault();
    onSubmit();
  }}>${children}</form>`;
}
