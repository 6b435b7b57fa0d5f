// The inbox, one after the other by keyboard: j and k move, a accepts, e edits, r rejects, m merges, d defers, u undoes.

import { ask, record as known } from "/web/api.js";
import { telling, wordDiff } from "/web/changed.js";
import { button, el, said, told } from "/web/dom.js";
import { again } from "/web/going.js";
import { empty, facts, heading, quote, statement } from "/web/parts.js";
import { sheet } from "/web/sheet.js";
import { alike, many, short } from "/web/words.js";

export const title = "Inbox";

const KEYS = [["j k", "move"], ["a", "accept"], ["e", "edit"], ["r", "reject"], ["m", "merge"], ["d", "later"], ["u", "undo"]];
let last = null; // the memory that was decided last
let at = 0; // where the reader is; kept when the list is shown anew

export async function view({ query }) {
  const deferred = query.get("deferred") === "yes";
  const items = await ask("inbox", { limit: 100, deferred });
  at = Math.min(at, Math.max(0, items.length - 1));
  const cards = await Promise.all(items.map(card));
  const list = el("ol", { class: "cards review" }, cards);
  const node = el(
    "div",
    {},
    heading("Inbox", items.length ? `${many(items.length, "statement waits", "statements wait")} for your word.` : ""),
    items.length ? el("p", { class: "keys", "aria-hidden": "true" }, KEYS.map(([key, what]) => el("span", {}, key.split(" ").map((one) => el("kbd", {}, one)), ` ${what}`))) : null,
    items.length ? list : empty("Nothing waits", "What agents propose, and what captures bring, comes here first.", deferred ? null : el("p", {}, el("a", { href: "#/inbox?deferred=yes" }, "Show what was put off"))),
    items.length ? el("p", { class: "note after" }, el("a", { href: deferred ? "#/inbox" : "#/inbox?deferred=yes" }, deferred ? "Hide what was put off" : "Show also what was put off")) : null,
  );
  const select = (number) => {
    at = Math.max(0, Math.min(items.length - 1, number));
    cards.forEach((one, other) => mark(one, other === at));
    cards[at]?.focus();
    cards[at]?.scrollIntoView({ block: "nearest" });
  };
  cards.forEach((one, number) => {
    mark(one, number === at);
    one.addEventListener("focusin", () => ((at = number), cards.forEach((other) => mark(other, other === one))));
  });
  const on = (act) => () => items[at] && safely(() => act(items[at]));
  const keys = { j: () => select(at + 1), k: () => select(at - 1), a: on(accept), e: on(edit), r: on(reject), m: on(merge), d: on(defer), u: () => safely(undo) };
  return { node, keys, focus: cards[at] };
}

function mark(one, chosen) {
  one.classList.toggle("chosen", chosen);
  if (chosen) one.setAttribute("aria-current", "true");
  else one.removeAttribute("aria-current");
  one.tabIndex = chosen ? 0 : -1;
}

async function card(item) {
  const { record } = item;
  const before = item.replaces ? await known(item.replaces) : null;
  return el(
    "li",
    { class: "card", "data-id": record.id },
    statement(record),
    el("p", { class: "why" }, el("strong", {}, "Waits because: "), telling(item.reason)),
    item.deferred_until && el("p", { class: "note" }, `Put off until ${item.deferred_until}.`),
    item.evidence && item.evidence.quoted_from === "source" ? quote(item.evidence) : el("p", { class: "note" }, "No source speaks for it but its own words."),
    before && el("div", { class: "proposed" }, el("p", { class: "note" }, "Accepting it would change:"), el("p", { class: "diff" }, wordDiff(before.content, record.content))),
    facts(record),
    el(
      "p",
      { class: "actions" },
      button("Accept", () => accept(item), { class: "first", "aria-keyshortcuts": "a" }),
      button("Edit", () => edit(item), { "aria-keyshortcuts": "e" }),
      button("Reject", () => reject(item), { "aria-keyshortcuts": "r" }),
      button("Merge", () => merge(item), { "aria-keyshortcuts": "m" }),
      button("Later", () => defer(item), { "aria-keyshortcuts": "d" }),
    ),
  );
}

async function safely(act) {
  try {
    await act();
  } catch (error) {
    said(told(error));
  }
}

function decided(item, what) {
  last = item.record;
  said(`${what}: ${short(item.record.content, 60)}`, button("Undo", undo));
  again();
}

async function accept(item) {
  const { record } = item;
  const needs = record.type === "decision" && !record.rationale;
  const given = needs ? await sheet("Accept a decision", [{ name: "rationale", label: "Why was it decided?", required: true, long: true }], "Accept") : {};
  if (!given) return;
  await ask("inbox-accept", { id: record.id, expect: record.fingerprint, ...given });
  decided(item, "Accepted");
}

async function edit(item) {
  const { record } = item;
  const fields = [{ name: "content", label: "What it should say", long: true, value: record.content, required: true }];
  if (record.type === "decision" && !record.rationale) fields.push({ name: "rationale", label: "Why was it decided?", required: true });
  const given = await sheet("Accept it in other words", fields, "Accept");
  if (!given) return;
  await ask("inbox-edit", { id: record.id, expect: record.fingerprint, ...given });
  decided(item, "Accepted in other words");
}

async function reject(item) {
  const given = await sheet("Turn it away", [{ name: "reason", label: "Why not" }], "Reject", el("p", { class: "note" }, short(item.record.content, 160)));
  if (!given) return;
  await ask("inbox-reject", { id: item.record.id, expect: item.record.fingerprint, ...given });
  decided(item, "Rejected");
}

// Those that may say the same already: what a search for its own words brings up.
async function merge(item) {
  const { results } = await ask("search", { query: item.record.content, limit: 6, project: item.record.project_id });
  const others = results.map((one) => one.record).filter((one) => one.id !== item.record.id);
  if (!others.length) return said("No other memory says anything like it.");
  const given = await sheet("It says what another says already", [{ name: "into", label: "Which one stays?", choices: others.map((one) => [one.id, beside(item.record, one)]) }], "Merge", el("p", { class: "note" }, "This one would go: ", el("em", {}, short(item.record.content, 160))));
  if (!given) return;
  await ask("inbox-merge", { id: item.record.id, ...given });
  decided(item, "Merged");
}

// Another that says nearly the same is shown with the words that differ; any other as it is.
function beside(record, other) {
  return alike(record.content, other.content) >= 0.4 ? wordDiff(record.content, other.content) : short(other.content, 140);
}

async function defer(item) {
  const tomorrow = new Date(Date.now() + 86400000).toISOString().slice(0, 10);
  const given = await sheet("Show it again later", [{ name: "until", label: "On which day", type: "date", value: tomorrow, required: true }], "Put off");
  if (!given) return;
  await ask("inbox-defer", { id: item.record.id, until: new Date(given.until).toISOString() });
  decided(item, "Put off");
}

// The last thing that happened to the memory that was decided last.
async function undo() {
  if (!last) return said("There is nothing to undo.");
  const happened = await ask("history", { id: last.id });
  await ask("revert", { id: happened.at(-1).id, reason: "undone in the inspector" });
  last = null;
  said("Undone");
  again();
}
