// The book as it was: a slider over everything that happened, and below it what the book knew at that moment.

import { ask } from "/web/api.js";
import { el, replace, told, whisper } from "/web/dom.js";
import { empty, facts, heading, statement } from "/web/parts.js";
import { day, many, moment, short, word } from "/web/words.js";

export const title = "Timeline";

const MOST = 100;
const PATIENCE = 120; // milliseconds: while the slider moves, only where it rests is asked for

export async function view() {
  const operations = await ask("journal", { limit: 1000 });
  if (!operations.length) return { node: el("div", {}, heading("Timeline"), empty("Nothing happened yet", "")) };
  const list = el("section", { "aria-label": "What the book knew then", class: "results" });
  const label = el("output", { class: "as-of", for: "as-of" });
  const status = el("select", { id: "status" }, ["active", "inbox", "all"].map((one) => el("option", { value: one }, one)));
  const slider = el("input", { id: "as-of", type: "range", min: "0", max: String(operations.length), value: String(operations.length) });
  const show = async () => {
    const at = operations[Number(slider.value)] ? operations[Number(slider.value)] : null;
    const text = at ? `${moment(at.at)}: ${word(at.verb)} by ${at.actor}` : "now";
    slider.setAttribute("aria-valuetext", text);
    replace(label, text);
    await known(at, status.value, list);
  };
  let waiting = 0;
  slider.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, PATIENCE);
  });
  status.addEventListener("change", show);
  const node = el(
    "div",
    {},
    heading("Timeline", "Move back to see what the book knew, and what it did not know yet."),
    el(
      "div",
      { class: "card slider" },
      el("div", { class: "line" }, el("label", { for: "as-of" }, "As of "), label),
      slider,
      el("div", { class: "ends" }, el("span", {}, moment(operations[0].at)), el("span", {}, "now")),
      el("p", { class: "row" }, el("label", { for: "status" }, "Show "), status),
    ),
    list,
  );
  await show();
  return { node, focus: slider };
}

async function known(at, status, place) {
  place.setAttribute("aria-busy", "true");
  try {
    const records = await ask("list", { as_of: at ? at.at : null, statuses: [status], limit: MOST });
    whisper(many(records.length, "memory", "memories"));
    replace(place, records.length ? shown(records, at) : empty("Nothing yet", "At this moment the book held nothing of the kind."));
  } catch (error) {
    replace(place, empty("That could not be read", told(error)));
  }
  place.removeAttribute("aria-busy");
}

function shown(records, at) {
  const touched = new Set(at ? at.changes.map((change) => change[1]) : []);
  const days = Map.groupBy(records, (one) => day(one.created_at));
  return [
    el("p", { class: "note" }, `${records.length === MOST ? `The newest ${MOST}` : many(records.length, "memory", "memories")}${touched.size ? "; what changed in this moment is marked" : ""}.`),
    [...days].map(([name, ones]) => el("section", { class: "part" }, el("h2", {}, name), el("ol", { class: "cards" }, ones.map((one) => entry(one, touched.has(one.id)))))),
  ];
}

function entry(record, touched) {
  return el("li", { class: touched ? "card chosen" : "card" }, statement(record), record.status_reason && el("p", { class: "why" }, short(record.status_reason, 200)), facts(record));
}
