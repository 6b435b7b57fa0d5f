// Search: what was found, why, by which words, and what each component gave to the score.

import { ask } from "/web/api.js";
import { el, replace, told, whisper } from "/web/dom.js";
import { empty, facts, heading, quote, section, statement } from "/web/parts.js";
import { many, short, word } from "/web/words.js";

export const title = "Search";

const FIELDS = ["q", "types", "statuses", "project", "as_of"];

export async function view({ query }) {
  const found = el("section", { "aria-label": "Results", class: "results" });
  const form = asking(query, (fields) => look(fields, found));
  const node = el("div", {}, heading("Search", "Ask in your own words. Each result says why it is here."), form, found);
  if (query.get("q")) await look(read(form), found);
  else replace(found, await beginning());
  return { node, focus: form.querySelector("input") };
}

function asking(query, act) {
  const given = (name) => query.get(name) || "";
  const box = el("input", { id: "query", name: "q", type: "search", value: given("q"), autocomplete: "off", placeholder: "which port does the service use", required: true });
  const form = el(
    "form",
    { class: "asking", role: "search", on: { submit: (event) => (event.preventDefault(), remember(form), act(read(form))) } },
    el("div", { class: "ask-row" }, el("label", { for: "query", class: "hidden" }, "What to look for"), box, el("button", { type: "submit", class: "first" }, "Search")),
    el(
      "details",
      { class: "more", open: FIELDS.slice(1).some(given) },
      el("summary", {}, "Narrow it down"),
      el(
        "div",
        { class: "row" },
        choice("types", "Type", ["", "profile", "project", "decision", "artifact", "episode", "task_hint"], given("types")),
        choice("statuses", "Status", ["", "inbox", "active", "superseded", "archived", "all"], given("statuses")),
        labelled("project", "Project", el("input", { name: "project", type: "text", autocomplete: "off", value: given("project") })),
        labelled("as_of", "As the book knew it on", el("input", { name: "as_of", type: "datetime-local", value: given("as_of") })),
      ),
    ),
  );
  return form;
}

function choice(name, label, words, chosen) {
  const made = el("select", { name }, words.map((one) => el("option", { value: one }, word(one) || "any that counts")));
  made.value = words.includes(chosen) ? chosen : "";
  return labelled(name, label, made);
}

function labelled(name, label, input) {
  input.id = `search-${name}`;
  return el("div", { class: "field" }, el("label", { for: input.id }, label), input);
}

function read(form) {
  const given = Object.fromEntries(new FormData(form));
  return {
    query: given.q,
    types: given.types ? [given.types] : null,
    statuses: given.statuses ? [given.statuses] : null,
    project: given.project,
    as_of: given.as_of ? new Date(given.as_of).toISOString() : null,
  };
}

// The address says the whole question, so that it can be kept and sent.
function remember(form) {
  const said = [...new FormData(form)].filter(([, value]) => value);
  history.replaceState(null, "", `#/search?${new URLSearchParams(said)}`);
}

async function look(fields, place) {
  place.setAttribute("aria-busy", "true");
  try {
    show(await ask("search", fields), fields.query, place);
  } catch (error) {
    replace(place, empty("That could not be looked up", told(error)));
  }
  place.removeAttribute("aria-busy");
}

// Before anything is asked: what came in last, and what was asked before.
async function beginning() {
  const [newest, asked] = await Promise.all([ask("list", { limit: 5 }), ask("receipts", { limit: 30 }).catch(() => [])]);
  if (!newest.length) return empty("The book is empty", "Write its first line:", el("pre", {}, 'commonplace save "We ship on Tuesdays." --type project'));
  const questions = [...new Set(asked.map((one) => one.query).filter(Boolean))].slice(0, 6);
  return [
    questions.length ? section("Asked lately", el("ul", { class: "chips" }, questions.map((one) => el("li", {}, el("a", { href: `#/search?q=${encodeURIComponent(one)}` }, short(one, 60)))))) : null,
    section("Newest", el("ol", { class: "cards brief" }, newest.map((one) => el("li", { class: "card" }, statement(one), facts(one))))),
  ];
}

function show(answer, query, place) {
  const { results } = answer;
  whisper(results.length ? `${many(results.length, "memory", "memories")} found` : "Nothing found");
  const most = Math.max(0.001, ...results.flatMap((one) => Object.values(one.scores)));
  replace(
    place,
    note(answer),
    results.length ? el("ol", { class: "cards" }, results.map((one) => result(one, query, most))) : empty("Nothing found", "Try other words, or narrow it down less."),
  );
}

function note({ results, confidence, receipt_id, streams }) {
  // A book without a model is no trouble; it is said as what it is.
  const missing = streams.filter((one) => !one.searched && one.why_not);
  const skipped = missing.filter((one) => !one.why_not.includes("there is no embedder")).map((one) => `${one.name}: ${one.why_not}`);
  return el(
    "p",
    { class: "note" },
    `${many(results.length, "memory", "memories")}, ${Math.round(confidence * 100)}% sure that the answer is in the book. `,
    missing.length > skipped.length ? "Looked for by words alone. " : null,
    skipped.length ? `Not searched: ${skipped.join("; ")}. ` : null,
    el("a", { href: `#/receipts/${encodeURIComponent(receipt_id)}` }, "The receipt"),
  );
}

function result(one, query, most) {
  return el(
    "li",
    { class: "card split" },
    el(
      "div",
      {},
      statement(one.record, true, marked(one.record.content, query)),
      one.explanation && el("p", { class: "why" }, el("strong", {}, "Why: "), one.explanation),
      one.evidence && one.evidence.quoted_from === "source" ? quote(one.evidence) : null,
      facts(one.record),
    ),
    bars(one.scores, one.score, most),
  );
}

// The words of the question, where they stand in the answer. Short ones would mark too much to help.
function marked(content, query) {
  const words = new Set((query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) || []));
  return content.split(/([\p{L}\p{N}]+)/u).map((piece) => (words.has(piece.toLowerCase()) ? el("b", { class: "hit" }, piece) : piece));
}

export function bars(scores, total, most) {
  const rows = Object.entries(scores).sort(([, a], [, b]) => b - a);
  return el(
    "dl",
    { class: "bars" },
    el("dt", { class: "total" }, "score"),
    el("dd", { class: "total" }, total.toFixed(3)),
    rows.map(([name, value]) => [
      el("dt", {}, word(name)),
      el("dd", {}, el("span", { class: "bar", "--part": Math.max(0.012, value / most).toFixed(3), "aria-hidden": "true" }), el("span", { class: "figure" }, value.toFixed(3))),
    ]),
  );
}
