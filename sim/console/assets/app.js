// The frame of the console: what is common to all pages.

import { html, render, useEffect, useLayoutEffect, useRef, useState } from "./vendor/preact.js";
import { at, hasToken, onLocked, path, setToken } from "./api.js";
import { useCall, useClock } from "./hooks.js";
import { go, href, takeToken, useRoute } from "./route.js";
import { Announcer, Button, Field, Options, Problem, Tag, day } from "./ui.js";

// The pages in the order of the menu. The module of a page exports a component with its title as its name, and is loaded when it
// is first shown: so the first page is drawn early. A page gets {sandbox, params, info, gone, simulator, reload}: info is
// that of the sandbox
// (null until it is known, and for one that is gone), simulator is /v1/info (null until it is known), reload asks for both
// again. The page of a sandbox that is gone isn't shown, unless it is about all of them; such a page stays when another
// sandbox is chosen. A page that moves the virtual clock dispatches banksim-clock on the window.
const pages = [
  { name: "overview", title: "Overview", load: () => import("./pages/overview.js"), all: true },
  { name: "sandboxes", title: "Sandboxes", load: () => import("./pages/sandboxes.js"), all: true },
  { name: "bank", title: "Bank", load: () => import("./pages/bank.js") },
  { name: "journal", title: "Journal", load: () => import("./pages/journal.js") },
  { name: "faults", title: "Faults", load: () => import("./pages/faults.js") },
  { name: "coverage", title: "Coverage", load: () => import("./pages/coverage.js") },
  { name: "scenario", title: "Scenario", load: () => import("./pages/scenario.js") },
  { name: "contract", title: "Contract", load: () => import("./pages/contract.js") },
];

function App() {
  const route = useRoute();
  const [locked, lock] = useState(false);
  const [unlocked, unlock] = useState(0);
  useEffect(() => onLocked(() => lock(true)), []);
  if (locked) {
    return html`<${Login}
      onDone=${() => {
        lock(false);
        unlock((n) => n + 1);
      }}
    />`;
  }
  return html`<${Frame} key=${unlocked} route=${route} />
    <${Announcer} />`;
}

function Frame({ route }) {
  const { sandbox } = route;
  const simulator = useCall("v1/info", { every: 5000 });
  const info = useCall(at(sandbox), { every: 5000 });
  const page = pages.find((p) => p.name === route.page);
  const reload = () => {
    simulator.reload();
    info.reload();
  };
  const gone = info.error?.status === 404;
  const { Page, error } = usePage(page);
  const main = useRef(null);
  const shown = useRef(route.page);
  useLayoutEffect(() => {
    document.title = (page ? page.title + " · " : "") + (page?.all ? "" : sandbox + " · ") + "banksim";
    if (shown.current !== route.page) {
      shown.current = route.page;
      main.current?.focus();
      scrollTo(0, 0);
    }
  }, [route.page, sandbox]);

  let content;
  if (!page) content = html`<p>The console has no page ${route.page}. <a href=${href("overview", sandbox)}>Go to the overview</a>.</p>`;
  else if (!page.all && gone) {
    content = html`<div class="problem" role="alert">
      <p>There is no sandbox “${sandbox}”. It may have been deleted. <a href=${href("sandboxes", "default")}>See all sandboxes</a>.</p>
    </div>`;
  } else if (error) content = html`<${Problem} error=${error} />`;
  else if (Page && (page.all || info.data)) content = html`<${Page} key=${page.all ? page.name : page.name + " " + sandbox}
    sandbox=${sandbox} params=${route.params} info=${info.data} gone=${gone} simulator=${simulator.data} reload=${reload} />`;
  else if (info.error) content = null;
  else content = html`<p class="quiet">Loading…</p>`;

  return html`<a class="skip" href="#main" onClick=${(event) => {
      event.preventDefault();
      main.current.focus();
    }}>Skip to the page</a>
    <header class="top">
      <a class="brand" href=${href("overview", sandbox)}><${Logo} />banksim</a>
      <${Picker} sandbox=${sandbox} page=${page} count=${simulator.data?.sandboxes} />
      <${Clock} sandbox=${sandbox} gone=${gone} />
    </header>
    <nav aria-label="Pages">
      ${pages.map((p) => html`<a href=${href(p.name, sandbox)} aria-current=${p.name === route.page ? "page" : undefined}>${p.title}</a>`)}
    </nav>
    <main id="main" ref=${main} tabindex="-1">
      <h1>${page ? page.title : "No such page"}${page && !page.all && html` <small>of sandbox ${sandbox}</small>`}</h1>
      ${!gone && html`<${Problem} error=${info.error || simulator.error} />`} ${simulator.data?.scenario.problems.length > 0 &&
        route.page !== "overview" && html`<p class="note">The scenario's files have problems, and the last good version is in use: see
          the <a href=${href("overview", sandbox)}>overview</a>.</p>`}
      ${content}
    </main>`;
}

// usePage returns the component of a page once it is loaded, or why that failed.
function usePage(page) {
  const [loaded, done] = useState({});
  useEffect(() => {
    if (!page || page.Page) return;
    page.load().then(
      (module) => {
        page.Page = module[page.title];
        done({});
      },
      () => done({ failed: page,
        error: new Error("This page can't be loaded. The simulator may have ended, or run another version now: reload the console.") }),
    );
  }, [page]);
  return { Page: page?.Page, error: loaded.failed === page && loaded.error };
}

function Logo() {
  return html`<svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><rect width="16" height="16" rx="3.5"
    class="logo" /><path d="M3 6.4 8 3.3l5 3.1v.9H3zM4.2 8.2h1.4v3H4.2zm3.1 0h1.4v3H7.3zm3.1 0h1.4v3h-1.4zM3 12h10v1.2H3z"
    fill="#fff" /></svg>`;
}

const listed = 200; // sandboxes in the menu

// Picker chooses the sandbox. Of very many, it lists some, and not those that have just come; the page Sandboxes has all.
function Picker({ sandbox, page, count }) {
  const list = useCall(path(["sandboxes"], { limit: listed }));
  const [known, know] = useState();
  useEffect(() => {
    if (count === undefined || count === known) return;
    if (known !== undefined && count <= listed) list.reload();
    know(count);
  }, [count]);
  const names = (list.data?.sandboxes || []).map((s) => s.name);
  if (!names.includes(sandbox)) names.unshift(sandbox);
  return html`<label class="picker"
    ><span>Sandbox</span>
    <select onChange=${(event) => go(page ? page.name : "overview", event.target.value)} onFocus=${list.reload}>
      <${Options} of=${names} value=${sandbox} />
    </select></label
  >`;
}

// Clock shows the virtual time of the sandbox.
function Clock({ sandbox, gone }) {
  const { data, now } = useClock(gone ? null : sandbox);
  return html`<a class="now" href=${href("sandboxes", sandbox)} title="The virtual time of this sandbox, UTC">
    ${data ? html`<time datetime=${now}>${day(now)}</time>${!data.running && html` <${Tag} kind="warn">frozen<//>`}` : html`<span
      class="quiet">Clock</span>`}
  </a>`;
}

// Login asks for the control token.
function Login({ onDone }) {
  const [text, set] = useState("");
  const [wrong] = useState(hasToken());
  const enter = (event) => {
    event.preventDefault();
    setToken(text);
    onDone();
  };
  return html`<main class="login">
    <h1><${Logo} /> banksim</h1>
    <form onSubmit=${enter}>
      ${wrong && html`<p class="problem" role="alert">That is not the token of this simulator.</p>`}
      <p>This control API needs its token: the one that the simulator was given as <code>--control-token</code>,
        or that it logged when it started.</p>
      <${Field} label="Control token" type="password" value=${text} onInput=${set} autofocus required />
      <${Button} kind="main" type="submit" disabled=${text.trim() === ""}>Enter<//>
      <p class="hint">The token stays in this tab.</p>
    </form>
  </main>`;
}

takeToken();
const frame = document.getElementById("app");
frame.replaceChildren();
render(html`<${App} />`, frame);
