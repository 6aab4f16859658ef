// The frame of the console: header, menu and the chosen page.

import { html, render, useEffect, useLayoutEffect, useRef, useState } from "./vendor/preact.js";
import { at, hasToken, onLocked, path, setToken } from "./api.js";
import { useCall, useClock } from "./hooks.js";
import { go, href, takeToken, useRoute } from "./route.js";
import { Announcer, Button, Field, Form, Options, Problem, Tag, day } from "./ui.js";

// The pages in the order of the menu. A page is a component that has the page's title as its name. Its module is loaded
// when the page is first shown. A page gets {sandbox, params, info, gone, simulator, reload}: info is about the
// sandbox, simulator is /v1/info, and each is null until it is loaded. reload asks for both again. A page for all
// sandboxes is shown even if the chosen sandbox is gone, and stays when another sandbox is chosen. A page that moves
// the bank's clock dispatches banksim-clock on the window.
const pages = [
  { name: "journal", title: "Journal", load: () => import("./pages/journal.js") },
  { name: "bank", title: "Bank", load: () => import("./pages/bank.js") },
  { name: "faults", title: "Faults", load: () => import("./pages/faults.js") },
  { name: "scenario", title: "Scenario", load: () => import("./pages/scenario.js") },
  { name: "coverage", title: "Coverage", load: () => import("./pages/coverage.js") },
  { name: "contract", title: "Contract", load: () => import("./pages/contract.js") },
  { name: "sandboxes", title: "Sandboxes", load: () => import("./pages/sandboxes.js"), all: true },
];

function App() {
  const route = useRoute();
  const [locked, lock] = useState(false);
  const [unlocked, unlock] = useState(0);
  useEffect(() => onLocked(() => lock(true)), []);
  const enter = () => {
    lock(false);
    unlock((n) => n + 1);
  };
  if (locked) return html`<${Login} onDone=${enter} />`;
  return html`<${Frame} key=${unlocked} route=${route} />`;
}

function Frame({ route }) {
  const { sandbox } = route;
  const simulator = useCall("v1/info", { every: 5000 });
  const info = useCall(at(sandbox), { every: 5000 });
  const page = pages.find((p) => p.name === route.page);
  const gone = info.error?.status === 404;
  const main = useRef(null);
  const top = useRef(null);
  useArrival(route, page, main);
  useHeight(top);
  const skip = (event) => {
    event.preventDefault();
    main.current.focus();
  };
  return html`<a class="skip" href="#main" onClick=${skip}>Skip to the page</a>
    <header class="top" ref=${top}>
      <a class="brand" href=${href("journal", sandbox)} title=${simulator.data && `banksim ${simulator.data.version}`}>
        <${Logo} /><span>banksim</span></a>
      <${Picker} sandbox=${sandbox} page=${page} count=${simulator.data?.sandboxes} />
      <${Announcer} page=${route.page} />
      <${Clock} sandbox=${sandbox} gone=${gone} />
    </header>
    <nav aria-label="Pages">
      ${pages.map((p) => html`<a href=${href(p.name, sandbox)}
        aria-current=${p === page ? "page" : undefined}>${p.title}</a>`)}
    </nav>
    <main id="main" ref=${main} tabindex="-1">
      <h1>
        ${page ? page.title : "No such page"}
        ${page && !page.all && html` <small class="quiet">of sandbox ${sandbox}</small>`}
      </h1>
      ${!gone && html`<${Problem} error=${info.error || simulator.error} />`}
      <${ScenarioProblems} scenario=${simulator.data?.scenario} />
      <${Content} route=${route} page=${page} info=${info} gone=${gone} simulator=${simulator} />
    </main>`;
}

// useArrival names the window after the page. A page that is shown in the place of another begins at its top.
function useArrival(route, page, main) {
  const shown = useRef(route.page);
  useLayoutEffect(() => {
    document.title = (page ? page.title + " · " : "") + (page?.all ? "" : route.sandbox + " · ") + "banksim";
    document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
    if (shown.current !== route.page) {
      shown.current = route.page;
      main.current?.focus();
      scrollTo(0, 0);
    }
  }, [route.page, route.sandbox]);
}

// useHeight measures the header. What sticks below it has to know its height.
function useHeight(top) {
  useLayoutEffect(() => {
    const measure = () => document.documentElement.style.setProperty("--top", `${top.current.offsetHeight}px`);
    const observer = new ResizeObserver(measure);
    observer.observe(top.current);
    return () => observer.disconnect();
  }, []);
}

// Content is the page, or says why nothing is shown.
function Content({ route: { page: name, sandbox, params }, page, info, gone, simulator }) {
  const { Page, error } = usePage(page);
  const reload = () => {
    simulator.reload();
    info.reload();
  };
  if (!page) return html`<p>The console has no page ${name}.
    ${" "}<a href=${href("journal", sandbox)}>Go to the journal</a>.</p>`;
  if (!page.all && gone) return html`<p class="problem" role="alert">There is no sandbox “${sandbox}”. It may have been
    deleted. <a href=${href("sandboxes", "default")}>See all sandboxes</a>.</p>`;
  if (error) return html`<${Problem} error=${error} />`;
  if (Page && (page.all || info.data)) return html`<${Page} key=${page.all ? name : name + " " + sandbox}
    sandbox=${sandbox} params=${params} info=${info.data} gone=${gone} simulator=${simulator.data}
    reload=${reload} />`;
  return !info.error && html`<p class="quiet">Loading…</p>`;
}

// ScenarioProblems shows why the scenario's files were refused when they changed.
function ScenarioProblems({ scenario }) {
  if (!scenario?.problems.length) return null;
  const message = `The scenario's files have changed and were refused. The version of ${day(scenario.loadedAt)} stays in
    use. Mend the files, and the simulator loads them again.`;
  return html`<${Problem} error=${{ message, problems: scenario.problems }} />`;
}

// usePage returns the component of a page once it is loaded, or the error if it can't be loaded.
function usePage(page) {
  const [loaded, done] = useState({});
  useEffect(() => {
    if (!page || page.Page) return;
    page.load().then(
      (module) => {
        page.Page = module[page.title];
        done({});
      },
      () => done({ failed: page }),
    );
  }, [page]);
  const error = new Error("This page can't be loaded. Has the simulator ended, or been replaced? Reload the console.");
  return { Page: page?.Page, error: loaded.failed === page && error };
}

function Logo() {
  return html`<svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><rect width="16" height="16" rx="3.5"
    class="logo" /><path fill="#fff"
    d="M3 6.4 8 3.3l5 3.1v.9H3zM4.2 8.2h1.4v3H4.2zm3.1 0h1.4v3H7.3zm3.1 0h1.4v3h-1.4zM3 12h10v1.2H3z" /></svg>`;
}

const maxRows = 200; // sandboxes in the menu

// Picker chooses the sandbox. If there are very many, the menu has only some; the page Sandboxes has all.
function Picker({ sandbox, page, count }) {
  const list = useCall(path(["sandboxes"], { limit: maxRows }));
  useEffect(() => {
    if (count) list.reload();
  }, [count]);
  const names = (list.data?.sandboxes || []).map((s) => s.name);
  if (!names.includes(sandbox)) names.unshift(sandbox);
  return html`<label class="picker">
    <span>Sandbox</span>
    <select onChange=${(event) => go(page ? page.name : "journal", event.target.value)} onFocus=${list.reload}>
      <${Options} of=${names} value=${sandbox} />
    </select>
  </label>`;
}

// Clock shows the time of the bank.
function Clock({ sandbox, gone }) {
  const { data, now } = useClock(gone ? null : sandbox);
  return html`<a class="now" href=${href("sandboxes", sandbox)} title="The virtual time of this sandbox, UTC">
    <span>Bank time${data?.running === false && html` <${Tag} kind="warn">frozen<//>`}</span>
    ${data && html` <time datetime=${now}>${day(now)}</time>`}
  </a>`;
}

// Login asks for the control token.
function Login({ onDone }) {
  const [text, set] = useState("");
  const [wrong] = useState(hasToken());
  const enter = () => {
    setToken(text);
    onDone();
  };
  return html`<main class="login">
    <h1><${Logo} /> banksim</h1>
    <${Form} onSubmit=${enter}>
      ${wrong && html`<p class="problem" role="alert">That is not the token of this simulator.</p>`}
      <p>This control API needs its token: the one that the simulator was given as <code>--control-token</code>,
        or that it logged when it started.</p>
      <${Field} label="Control token" type="password" value=${text} onInput=${set} autofocus required />
      <${Button} kind="main" type="submit" disabled=${text.trim() === ""}>Enter<//>
      <p class="hint">The token stays in this tab.</p>
    <//>
  </main>`;
}

takeToken();
const frame = document.getElementById("app");
frame.replaceChildren();
render(html`<${App} />`, frame);
