// The live plots of the page Overview: requests by status, faults and latency of the last minute.

import { html } from "../vendor/preact.js";
import { useCall } from "../hooks.js";
import { Loaded, Table, clock, micros, plural } from "../ui.js";

const seconds = 60;

// The classes of answers, from the bottom of a bar to its top. What is wrong has a pattern, so that it doesn't depend on
// colour.
const classes = ["2xx", "3xx", "4xx", "5xx", "lost"];
const lines = [
  ["p50Micros", "half", "p50"],
  ["p95Micros", "95 of 100", "p95"],
  ["maxMicros", "slowest", "max"],
];

export function Traffic() {
  const traffic = useCall(`v1/traffic?seconds=${seconds}`, { every: 1000 });
  return html`<div class="traffic"><${Loaded} from=${traffic}>${(data) => html`<${Plots} of=${data.seconds} />`}<//></div>`;
}

function Plots({ of }) {
  const total = (name) => of.reduce((sum, s) => sum + (s.byStatus[name] ?? s[name]), 0);
  const requests = total("requests");
  const faults = total("faults");
  const slowest = of.reduce((most, s) => Math.max(most, s.maxMicros), 0);
  const parts = classes.filter((c) => total(c) > 0).map((c) => `${total(c).toLocaleString("en")} ${c}`);
  const summary =
    requests === 0
      ? "No request in the last minute."
      : `${plural(requests, "request")} in the last minute: ${parts.join(", ")}. ${faults === 0 ? "No fault fired" : `Faults fired ${plural(faults, "time")}`}. The slowest took ${micros(slowest)}.`;
  const rows = of.filter((s) => s.requests > 0).reverse();
  return html`<p class="summary">${summary}</p>
    <div class="plots">
      <figure>
        <figcaption><span>Requests per second</span><span class="legend">${classes.map((c) => html`<span><i class=${"swatch c-" + c} aria-hidden="true"></i>${c}</span>`)}<span><i class="swatch fault" aria-hidden="true"></i>fault fired</span></span></figcaption>
        <${Bars} of=${of} />
      </figure>
      <figure>
        <figcaption><span>Latency, logarithmic</span><span class="legend">${lines.map(([, name, key]) => html`<span><i class=${"swatch line-" + key} aria-hidden="true"></i>${name}</span>`)}</span></figcaption>
        <${Latency} of=${of} />
      </figure>
    </div>
    <details>
      <summary>The same as a table</summary>
      <${Table}
        caption="Requests of the last minute by the second, the newest first"
        empty="No request in the last minute."
        columns=${["Second, UTC", ...["Requests", ...classes, "Faults", "p50", "p95", "Slowest"].map((title) => ({ title, number: true }))]}
      >
        ${rows.map((s) => html`<tr key=${s.at}><td>${clock(s.at)}</td>${[s.requests, ...classes.map((c) => s.byStatus[c]), s.faults, ...lines.map(([key]) => micros(s[key]))].map((n) => html`<td class="number">${n}</td>`)}</tr>`)}
      <//>
    </details>`;
}

const height = 100;

// Plot is the frame of a plot: its labels of the values, from the top down, and of the time.
function Plot({ name, labels, children }) {
  return html`<div class="plot">
    <div class="scale" aria-hidden="true">${labels.map((text) => html`<span>${text}</span>`)}</div>
    <svg viewBox=${`0 0 ${seconds * 10} ${height}`} preserveAspectRatio="none" role="img" aria-label=${name}>${children}</svg>
    <div class="times" aria-hidden="true"><span>1 min ago</span><span>now</span></div>
  </div>`;
}

// Bars are the requests of each second, one class upon the other, with a mark below where faults fired.
function Bars({ of }) {
  const most = round(Math.max(1, ...of.map((s) => s.requests)));
  const room = height - 8;
  return html`<${Plot} name="Requests per second, by the status of the answer. The table below has the numbers." labels=${[most.toLocaleString("en"), (most / 2).toLocaleString("en"), "0"]}>
    <defs>
      <pattern id="hatched" width="4" height="4" patternUnits="userSpaceOnUse"><path d="M0 4 4 0" /></pattern>
    </defs>
    <path class="grid-line" d=${`M0 ${room / 2}H600M0 ${room}H600`} />
    ${of.map((s, i) => {
      let y = room;
      return html`<g key=${s.at}>
        <title>${clock(s.at)}: ${plural(s.requests, "request")}${s.faults > 0 ? `, faults fired ${plural(s.faults, "time")}` : ""}</title>
        <rect class="hit" x=${i * 10} y="0" width="10" height=${height} />
        ${classes
          .filter((c) => s.byStatus[c] > 0)
          .map((c) => {
            const h = (s.byStatus[c] / most) * room;
            y -= h;
            return html`<rect class=${"c-" + c} x=${i * 10 + 1} y=${y} width="8" height=${h} />${(c === "4xx" || c === "lost") && html`<rect fill="url(#hatched)" x=${i * 10 + 1} y=${y} width="8" height=${h} />`}`;
          })}
        ${s.faults > 0 && html`<rect class="fault" x=${i * 10 + 1} y=${room + 3} width="8" height="5" />`}
      </g>`;
    })}
  <//>`;
}

// round returns the smallest of 2, 4, 10, 20, 40, 100, … that isn't below n.
function round(n) {
  for (let unit = 1; ; unit *= 10) {
    for (const of of [2, 4, 10]) if (of * unit >= n) return of * unit;
  }
}

// Latency are lines over the seconds that had a request.
function Latency({ of }) {
  const busy = of.filter((s) => s.requests > 0);
  const least = Math.floor(Math.log10(Math.max(1, Math.min(100, ...busy.map((s) => s.p50Micros)))));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(1000, ...busy.map((s) => s.maxMicros)))));
  const y = (n) => height - 2 - ((Math.log10(Math.max(n, 1)) - least) / (most - least)) * (height - 4);
  const decades = Array.from({ length: most - least + 1 }, (_, i) => 10 ** (most - i));
  const every = Math.ceil(decades.length / 5); // labels that don't touch
  return html`<${Plot} name="Latency of each second. The table below has the numbers." labels=${decades.map((n, i) => (i % every === 0 ? short(n) : ""))}>
    <path class="grid-line" d=${decades.map((n) => `M0 ${y(n)}H600`).join("")} />
    ${lines.map(([key, , name]) => html`<path class=${"line line-" + name} d=${path(of, (s) => y(s[key]))} />`)}
  <//>`;
}

// short returns a power of ten of microseconds.
const short = (n) => (n < 1000 ? `${n} µs` : n < 1e6 ? `${n / 1000} ms` : `${n / 1e6} s`);

// path returns a line through the seconds with a request. It is broken where there was none; a second alone is a dot.
function path(of, y) {
  let text = "";
  let pen = false;
  of.forEach((s, i) => {
    const at = `${i * 10 + 5} ${y(s).toFixed(1)}`;
    if (s.requests > 0) text += pen ? `L${at}` : `M${at}h.01`;
    pen = s.requests > 0;
  });
  return text;
}
