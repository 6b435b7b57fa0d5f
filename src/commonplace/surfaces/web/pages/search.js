// Search: what was found, why, by which words, and what each component gave to the score.

import { ask } from "/web/api.js";
import { el, replace, told, whisper } from "/web/dom.js";
import { empty, facts, heading, quote, statement } from "/web/parts.js";
import { many, word } from "/web/words.js";

export const title = "Search";

export async function view({ query }) {
  const found = el("section", { "aria-label": "Results", class: "results" });
  const form = asking(query, (fields) => look(fields, found));
  const node = el("div", {}, heading("Search", "Ask in your own words. Each result says why it is here."), form, found);
  if (query.get("q")) await look(read(form), found);
  return { node, focus: form.querySelector("input") };
}

function asking(query, act) {
  const box = el("input", { id: "query", name: "query", type: "search", value: query.get("q") || "", autocomplete: "off", placeholder: "which port does the service use", required: true });
  const form = el(
    "form",
    { class: "asking", role: "search", on: { submit: (event) => (event.preventDefault(), remember(form), act(read(form))) } },
    el("div", { class: "ask-row" }, el("label", { for: "query", class: "hidden" }, "What to look for"), box, el("button", { type: "submit", class: "first" }, "Search")),
    el(
      "details",
      { class: "more" },
      el("summary", {}, "Narrow it down"),
      el(
        "div",
        { class: "row" },
        choice("types", "Type", ["", "profile", "project", "decision", "artifact", "episode", "task_hint"]),
        choice("statuses", "Status", ["", "inbox", "active", "superseded", "archived", "all"]),
        labelled("project", "Project", el("input", { name: "project", type: "text", autocomplete: "off" })),
        labelled("as_of", "As the book knew it on", el("input", { name: "as_of", type: "datetime-local" })),
      ),
    ),
  );
  return form;
}

function choice(name, label, words) {
  return labelled(name, label, el("select", { name }, words.map((one) => el("option", { value: one }, word(one) || "any that counts"))));
}

function labelled(name, label, input) {
  input.id = `search-${name}`;
  return el("div", { class: "field" }, el("label", { for: input.id }, label), input);
}

function read(form) {
  const given = Object.fromEntries(new FormData(form));
  return {
    query: given.query,
    types: given.types ? [given.types] : null,
    statuses: given.statuses ? [given.statuses] : null,
    project: given.project,
    as_of: given.as_of ? new Date(given.as_of).toISOString() : null,
  };
}

function remember(form) {
  history.replaceState(null, "", `#/search?q=${encodeURIComponent(form.query.value)}`);
}

async function look(fields, place) {
  place.setAttribute("aria-busy", "true");
  try {
    show(await ask("search", fields), place);
  } catch (error) {
    replace(place, empty("That could not be looked up", told(error)));
  }
  place.removeAttribute("aria-busy");
}

function show(answer, place) {
  const { results } = answer;
  whisper(results.length ? `${many(results.length, "memory", "memories")} found` : "Nothing found");
  const most = Math.max(0.001, ...results.flatMap((one) => Object.values(one.scores)));
  replace(
    place,
    note(answer),
    results.length ? el("ol", { class: "cards" }, results.map((one) => result(one, most))) : empty("Nothing found", "Try other words, or narrow it down less."),
  );
}

function note({ results, confidence, receipt_id, streams }) {
  const skipped = streams.filter((one) => !one.searched).map((one) => `${one.name}: ${one.why_not}`);
  return el(
    "p",
    { class: "note" },
    `${many(results.length, "memory", "memories")}, ${Math.round(confidence * 100)}% sure that the answer is in the book. `,
    skipped.length ? `Not searched: ${skipped.join("; ")}. ` : null,
    el("a", { href: `#/receipts/${encodeURIComponent(receipt_id)}` }, "The receipt"),
  );
}

function result(one, most) {
  return el(
    "li",
    { class: "card split" },
    el(
      "div",
      {},
      statement(one.record),
      one.explanation && el("p", { class: "why" }, el("strong", {}, "Why: "), one.explanation),
      one.evidence && one.evidence.quoted_from === "source" ? quote(one.evidence) : null,
      facts(one.record),
    ),
    bars(one.scores, one.score, most),
  );
}

export function bars(scores, total, most) {
  const rows = Object.entries(scores).sort(([, a], [, b]) => b - a);
  return el(
    "dl",
    { class: "bars" },
    el("dt", { class: "total" }, "score"),
    el("dd", { class: "total" }, total.toFixed(2)),
    rows.map(([name, value]) => [
      el("dt", {}, word(name)),
      el("dd", {}, el("span", { class: "bar", "--part": Math.max(0.012, value / most).toFixed(3), "aria-hidden": "true" }), el("span", { class: "figure" }, value.toFixed(2))),
    ]),
  );
}
