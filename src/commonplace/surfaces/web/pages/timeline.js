// The book as it was: a slider over its whole time, and below it what the book knew at that moment, and what became of it.

import { ask } from "/web/api.js";
import { deedOf } from "/web/changed.js";
import { button, el, replace, svg, told, whisper } from "/web/dom.js";
import { badge, empty, facts, heading, memoryLink, statement } from "/web/parts.js";
import { date, many, moment, month, short } from "/web/words.js";

export const title = "Timeline";

const [MOST, STEPS, BARS] = [200, 1000, 80];
const PATIENCE = 120; // milliseconds: while the slider moves, only where it rests is asked for

export async function view({ query }) {
  const [operations, today] = await Promise.all([ask("journal", { limit: 2000 }), ask("list", { statuses: ["all"], limit: 1000 })]);
  if (!operations.length) return { node: el("div", {}, heading("Timeline"), empty("Nothing happened yet", "Save a statement, then come back to see it from another day.")) };
  const place = el("section", { "aria-label": "What the book knew then", class: "results" });
  const time = new Time(operations.map((one) => Date.parse(one.at)), operations);
  const dial = controls(time, (at, status) => known(at, status, place, new Map(today.map((one) => [one.id, one]))));
  const node = el("div", {}, heading("Timeline", "Move back to see what the book knew, and what it did not know yet."), dial.node, place);
  await dial.go(Date.parse(query.get("at") || "") || null);
  return { node, focus: dial.slider };
}

// Where on the slider a moment stands. Null is now, which is always the last place.
class Time {
  constructor(moments, operations) {
    this.moments = moments;
    this.operations = operations;
    this.first = moments[0];
    this.span = Math.max(1, Date.now() - this.first);
  }
  at(step) {
    return step >= STEPS ? null : this.first + Math.round((this.span * step) / STEPS);
  }
  step(at) {
    return at === null ? STEPS : Math.max(0, Math.min(STEPS - 1, Math.round(((at - this.first) / this.span) * STEPS)));
  }
  before(at) {
    return this.moments.findLast((one) => at === null || one < at) ?? this.first;
  }
  after(at) {
    return at === null ? null : (this.moments.find((one) => one > at) ?? null);
  }
  // The entry of the journal that was the last one then, as it is told beside the slider.
  told(at) {
    const last = at === null ? null : this.operations.findLast((_, number) => this.moments[number] <= at);
    return last ? `${moment(new Date(at))}, after ${last.actor} ${deedOf(last)}` : "now";
  }
  exact(at) {
    if (at === null) return null;
    // The book counts finer than a browser does: an entry's own moment is handed back as it was written.
    const number = this.moments.lastIndexOf(at);
    return number < 0 ? new Date(at).toISOString() : this.operations[number].at;
  }
}

function controls(time, show) {
  const label = el("output", { class: "as-of", for: "as-of" });
  const status = el("select", { id: "status", on: { change: () => go(now) } }, [["active", "what counts"], ["inbox", "the inbox"], ["all", "everything"]].map(([value, name]) => el("option", { value }, name)));
  const slider = el("input", { id: "as-of", type: "range", min: "0", max: String(STEPS), value: String(STEPS), on: { input: () => moved() } });
  const exactly = el("input", { id: "exactly", type: "datetime-local", on: { change: () => exactly.value && go(Date.parse(exactly.value)) } });
  let now = null;
  let waiting = 0;
  const say = (at) => {
    now = at;
    slider.setAttribute("aria-valuetext", time.told(at));
    replace(label, time.told(at));
  };
  const moved = () => {
    clearTimeout(waiting);
    say(time.at(Number(slider.value)));
    waiting = setTimeout(() => show(time.exact(now), status.value), PATIENCE);
  };
  const go = (at) => {
    say(at);
    slider.value = String(time.step(at));
    return show(time.exact(at), status.value);
  };
  const node = el(
    "div",
    { class: "card slider" },
    el("div", { class: "line" }, el("label", { for: "as-of" }, "As of "), label),
    el("div", {}, rhythm(time), slider, el("div", { class: "ends" }, el("span", {}, moment(time.operations[0].at)), el("span", {}, "now"))),
    el(
      "div",
      { class: "row" },
      button("Previous change", () => go(time.before(now))),
      button("Next change", () => go(time.after(now))),
      el("div", { class: "field beside" }, el("label", { for: "exactly" }, "or on"), exactly),
      el("div", { class: "field beside" }, el("label", { for: "status" }, "show"), status),
    ),
  );
  return { node, slider, go };
}

// How much happened when: a quiet row of bars on the same scale as the slider below it.
function rhythm(time) {
  const counts = new Array(BARS).fill(0);
  for (const at of time.moments) counts[Math.min(BARS - 1, Math.floor(((at - time.first) / time.span) * BARS))]++;
  const most = Math.max(...counts);
  return svg(
    "svg",
    { class: "rhythm", viewBox: `0 0 ${BARS} 24`, preserveAspectRatio: "none", role: "img", "aria-label": `${many(time.moments.length, "change")} over this time; most of them where the bars are high` },
    counts.map((count, at) => count && svg("rect", { x: at + 0.12, width: 0.76, y: 24 - 2 - (22 * count) / most, height: 2 + (22 * count) / most, rx: 0.2 })),
  );
}

async function known(at, status, place, today) {
  place.setAttribute("aria-busy", "true");
  try {
    const records = await ask("list", { as_of: at, statuses: [status], limit: MOST });
    whisper(many(records.length, "memory", "memories"));
    replace(place, records.length ? shown(records, at, today) : empty("Nothing yet", "At this moment the book held nothing of the kind. Move the slider to the right."));
  } catch (error) {
    replace(place, empty("That could not be read", told(error)));
  }
  place.removeAttribute("aria-busy");
}

function shown(records, at, today) {
  const months = Map.groupBy(records, (one) => month(one.created_at));
  return [
    el("p", { class: "note" }, summary(records, at, today)),
    [...months].map(([name, ones]) => el("section", { class: "part" }, el("h2", {}, name), el("ol", { class: "days" }, ones.map((one) => entry(one, at && today.get(one.id)))))),
  ];
}

function summary(records, at, today) {
  const count = records.length === MOST ? `The newest ${MOST} memories` : many(records.length, "memory", "memories");
  if (!at) return `${count}.`;
  const gone = records.filter((one) => today.has(one.id) && today.get(one.id).status !== one.status).length;
  return `${count} then. ${gone ? `${many(gone, "of them has", "of them have")} changed since: look for “Today it is”.` : "All of them stand as they did."}`;
}

function entry(record, now) {
  const since = now && now.status !== record.status;
  return el(
    "li",
    { class: since ? "since" : "" },
    el("time", { class: "date", datetime: record.created_at, title: moment(record.created_at) }, date(record.created_at)),
    el("div", {}, statement(record), record.status_reason && el("p", { class: "why" }, short(record.status_reason, 200)), since && became(now), facts(record, false)),
  );
}

function became(now) {
  return el("p", { class: "note" }, "Today it is ", badge(now.status), now.superseded_by && [": ", memoryLink(now.superseded_by, "what replaced it")]);
}
