// The page: which view is shown, who is let in, and the keys that work everywhere.

import { ask, book, books, chooseBook, forgetSeen, forgetToken, keepToken, takeFromAddress, token } from "/web/api.js";
import * as conflicts from "/web/conflicts.js";
import { button, el, replace, said, told } from "/web/dom.js";
import { again, go, where } from "/web/going.js";
import * as health from "/web/health.js";
import * as inbox from "/web/inbox.js";
import * as journal from "/web/journal.js";
import * as links from "/web/links.js";
import * as memory from "/web/memory.js";
import { empty, heading } from "/web/parts.js";
import * as receipts from "/web/receipts.js";
import * as search from "/web/search.js";
import * as timeline from "/web/timeline.js";

const VIEWS = { search, inbox, conflicts, timeline, links, journal, receipts, health };
const OTHERS = { memory };
const main = document.getElementById("main");
let keys = {};
let turn = 0; // only the newest view may show itself

async function show(moved) {
  const mine = ++turn;
  const place = where();
  const view = VIEWS[place.name] || OTHERS[place.name];
  if (!token()) return letIn("");
  marked(place.name);
  main.setAttribute("aria-busy", "true");
  try {
    const made = view ? await view.view(place) : { node: el("div", {}, heading("There is no such page"), empty("Nothing is kept at this address", el("p", {}, el("a", { href: "#/search" }, "Go to the search")))) };
    if (mine === turn) put(made, view ? view.title : "Not found", moved);
  } catch (error) {
    if (mine !== turn) return;
    if (error.status === 401) return letIn("That token is not valid, or no longer.");
    put({ node: el("div", {}, heading(view ? view.title : "Not found"), empty("That could not be shown", told(error))) }, "Error", moved);
  } finally {
    if (mine === turn) main.removeAttribute("aria-busy");
  }
  counted();
}

function put(made, title, moved) {
  keys = made.keys || {};
  replace(main, made.node);
  main.dataset.shown = location.hash;
  document.title = `${title} · Commonplace`;
  if (moved) scrollTo(0, 0);
  (made.focus || main).focus({ preventScroll: !made.keys });
}

function marked(name) {
  const nav = document.getElementById("nav");
  replace(
    nav,
    el("ul", {}, Object.entries(VIEWS).map(([one, view]) => el("li", {}, el("a", { href: `#/${one}`, "aria-current": one === name ? "page" : null }, view.title, el("span", { class: "count", id: `count-${one}` }))))),
  );
  nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  replace(document.getElementById("foot"), chosenBook(), button("Sign out", () => (forgetToken(), letIn("")), { class: "quiet" }));
}

function chosenBook() {
  if (books().length < 2) return null;
  const choice = el("select", { id: "book", on: { change: () => (chooseBook(choice.value), forgetSeen(), again()) } }, books().map((one) => el("option", { value: one }, one)));
  choice.value = book();
  return el("p", {}, el("label", { for: "book" }, "Book "), choice);
}

// How much waits for a person: shown beside the names, and silently left out where the token may not ask.
async function counted() {
  try {
    const [waiting, disputes] = await Promise.all([ask("inbox", { limit: 100 }), ask("conflicts", { limit: 100 })]);
    for (const [name, list] of [["inbox", waiting], ["conflicts", disputes]]) {
      const place = document.getElementById(`count-${name}`);
      if (place) place.textContent = list.length ? (list.length === 100 ? "100+" : String(list.length)) : "";
    }
  } catch {
    // The view itself says what is wrong.
  }
}

function letIn(why) {
  turn++;
  keys = {};
  main.removeAttribute("aria-busy");
  replace(document.getElementById("nav"));
  replace(document.getElementById("foot"));
  const box = el("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const enter = (event) => {
    event.preventDefault();
    keepToken(box.value);
    show(true);
  };
  const form = el("form", { class: "card let-in", on: { submit: enter } }, el("div", { class: "field" }, el("label", { for: "token" }, "Token"), box), el("button", { type: "submit", class: "first" }, "Open"));
  const how = el("p", { class: "under" }, "Run ", el("code", {}, "commonplace web"), " and open the address it prints, or paste a token here. It is kept in this tab only.");
  replace(main, el("div", { class: "narrow" }, el("header", { class: "heading" }, el("h1", {}, "Open your book"), how), why && el("p", { class: "warn", role: "alert" }, why), form));
  document.title = "Commonplace";
  box.focus();
}

function pressed(event) {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "/") {
    event.preventDefault();
    if (where().name === "search") document.getElementById("query")?.focus();
    else go("#/search");
  } else if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
}

function moved() {
  if (location.hash === "#main") return main.focus();
  if (location.hash.startsWith("#token=")) takeFromAddress();
  said("");
  show(true);
}

takeFromAddress();
addEventListener("hashchange", moved);
document.addEventListener("again", () => (forgetSeen(), show(false)));
document.addEventListener("keydown", pressed);
document.querySelector(".skip").addEventListener("click", (event) => (event.preventDefault(), main.focus()));
show(true);
