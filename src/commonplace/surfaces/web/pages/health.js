// The book and the work around it: how much there is, what waits, whether it is sound.

import { ask, book, books, chooseBook, forgetSeen } from "/web/api.js";
import { button, el, replace, said, told } from "/web/dom.js";
import { again } from "/web/going.js";
import { heading, section, table, when } from "/web/parts.js";
import { many, number, size, word } from "/web/words.js";

export const title = "Health";

const FIGURES = ["memories", "links", "sources", "conflicts", "operations"];

export async function view() {
  const [stats, queue] = await Promise.all([ask("stats"), ask("queue")]);
  const findings = el("div", { "aria-live": "polite" }, el("p", { class: "note" }, "Not looked at yet."));
  const node = el(
    "div",
    {},
    heading("Health", `The book “${book()}”: ${many(stats.memories, "memory", "memories")}, ${size(stats.bytes)}.`),
    el("div", { class: "figures" }, FIGURES.map((name) => figure(name === "operations" ? "changes" : name, stats[name]))),
    el("div", { class: "sides" }, counts("By status", stats.by_status), counts("By type", stats.by_type)),
    books().length > 1 && section("Books", await shelf()),
    section("Jobs", work(queue), troubled(queue.troubled)),
    section("Soundness", el("p", { class: "actions" }, button("Look for damage", () => examine(ask("doctor"), findings)), button("Check the journal", () => examine(ask("verify"), findings))), findings),
  );
  return { node };
}

function figure(name, count) {
  return el("div", { class: "card" }, el("p", { class: "large" }, number(count)), el("p", { class: "note" }, name));
}

// Every book that the daemon serves. One that cannot be read says why, and does not keep the others from being shown.
async function shelf() {
  const rows = await Promise.all(books().map(async (name) => [name, ...(await inShort(name)), name === book() ? "open" : button("Open", () => (chooseBook(name), forgetSeen(), again()), { class: "quiet", "aria-label": `Open ${name}` })]));
  return table("Books that are served", ["Book", "Memories", "Waiting", "Size", ""], rows);
}

async function inShort(name) {
  try {
    const stats = await ask("stats", {}, name);
    return [number(stats.memories), number(stats.by_status.inbox || 0), size(stats.bytes)];
  } catch (error) {
    return [told(error), "", ""];
  }
}

function counts(name, by) {
  const most = Math.max(1, ...Object.values(by));
  const rows = Object.entries(by).sort(([, a], [, b]) => b - a);
  return el(
    "section",
    { class: "card" },
    el("h2", {}, name),
    el("dl", { class: "bars" }, rows.map(([one, count]) => [el("dt", {}, word(one)), el("dd", {}, el("span", { class: "bar", "--part": (count / most).toFixed(3), "aria-hidden": "true" }), el("span", { class: "figure" }, number(count)))])),
  );
}

function work(queue) {
  const states = ["pending", "running", "done", "failed", "dead"];
  const rows = [["oldest that waits", when(queue.oldest_waiting) || "none"], ["next due", when(queue.next_due_at) || "nothing"]];
  for (const [name, at] of Object.entries(queue.upkeep)) rows.push([word(name), when(at)]);
  return [el("div", { class: "figures" }, states.map((state) => figure(state, queue[state]))), table("What comes round", null, rows)];
}

function troubled(events) {
  if (!events.length) return null;
  return table("What failed", ["Capture", "State", "Why", ""], events.map((event) => [event.id, event.state, event.error || "", button("Try again", async () => (await ask("retry", { id: event.id }), said("It will be tried again."), again()), { class: "quiet" })]));
}

async function examine(asked, place) {
  replace(place, el("p", { class: "note" }, "Looking…"));
  try {
    const { ok, checked, findings } = await asked;
    const looked = Object.entries(checked).map(([name, count]) => `${word(name)} ${number(count)}`);
    replace(
      place,
      el("p", { class: ok ? "good" : "warn" }, ok ? "Everything is sound." : "Something needs a look."),
      el("p", { class: "note" }, `Looked at: ${looked.join(", ")}.`),
      findings.length ? table("Findings", ["Code", "What", "Next step"], findings.map((one) => [one.code, one.message, one.hint || ""])) : null,
    );
  } catch (error) {
    replace(place, el("p", { class: "warn" }, told(error)));
  }
}
