// The report of changes: what came together in all, then who did what, when and why, each with a button that undoes it.

import { ask } from "/web/api.js";
import { changeOf, deed, deedOf, subjectOf, telling } from "/web/changed.js";
import { button, el, said } from "/web/dom.js";
import { again, go } from "/web/going.js";
import { empty, heading, hour, memoryLink } from "/web/parts.js";
import { sheet } from "/web/sheet.js";
import { day, many, number, short, word } from "/web/words.js";

export const title = "Changes";

const MOST = 200;
const SPANS = [["", "ever"], ["1", "since yesterday"], ["7", "in the last 7 days"], ["30", "in the last 30 days"]];

export async function view({ query }) {
  const [actor, span, until] = ["actor", "days", "until"].map((name) => query.get(name) || "");
  const since = span ? new Date(Date.now() - Number(span) * 86400000).toISOString() : null;
  const [operations, known] = await Promise.all([ask("journal", { limit: MOST, actor, since, until }), ask("journal", { limit: 1000 })]);
  const undone = new Set(known.flatMap((one) => one.reverts));
  const days = Map.groupBy([...operations].reverse(), (one) => day(one.at));
  const node = el(
    "div",
    {},
    heading("Changes", "Nothing is lost: every change can be looked at, and undone."),
    narrow(actor, span, known),
    operations.length ? report(operations) : empty("Nothing happened", "Choose a longer time or everybody, or save something: commonplace save \"…\" --type artifact."),
    [...days].map(([name, ones]) => el("section", { class: "part" }, el("h2", {}, name), el("ol", { class: "story" }, ones.map((one) => happened(one, undone.has(one.id)))))),
    operations.length === MOST && el("p", { class: "actions" }, el("a", { class: "like-button", href: address({ actor, days: span, until: operations[0].at }) }, "Older changes")),
  );
  return { node };
}

function address(fields) {
  return `#/journal?${new URLSearchParams(Object.entries(fields).filter(([, value]) => value))}`;
}

function narrow(actor, span, known) {
  const actors = [...new Set(known.map((one) => one.actor))].sort();
  const moved = () => go(address({ actor: who.value, days: when.value }));
  const who = el("select", { id: "actor", on: { change: moved } }, el("option", { value: "" }, "everybody"), actors.map((one) => el("option", { value: one }, one)));
  const when = el("select", { id: "days", on: { change: moved } }, SPANS.map(([value, name]) => el("option", { value }, name)));
  [who.value, when.value] = [actor, span];
  return el("p", { class: "row" }, el("label", { for: "actor" }, "By"), who, el("label", { for: "days" }, "when"), when);
}

function report(operations) {
  const line = (name, field, told) => [el("dt", {}, name), el("dd", {}, counted(operations, field).map(([one, count]) => el("span", { class: "counted" }, el("strong", {}, number(count)), ` ${told(one)}`)))];
  return el("section", { class: "card", "aria-label": "In short" }, el("dl", { class: "report" }, line("What", "verb", deed), line("Who", "actor", (one) => one)));
}

function counted(operations, field) {
  const groups = Map.groupBy(operations, (one) => one[field]);
  return [...groups].map(([name, ones]) => [name, ones.length]).sort(([, a], [, b]) => b - a);
}

function happened(operation, undone) {
  const { id, text } = subjectOf(operation);
  return el(
    "li",
    { class: undone ? "card undone" : "card" },
    el(
      "header",
      { class: "line" },
      el("p", {}, el("strong", {}, operation.actor), ` ${deedOf(operation)} `, el("span", { class: "how" }, hour(operation.at), ` through ${operation.surface}`)),
      undone ? el("span", { class: "badge archived" }, "undone") : revertButton(operation),
    ),
    text && el("p", { class: "said-text" }, memoryLink(id, short(text, 160))),
    operation.reason && el("p", { class: "why" }, telling(operation.reason)),
    operation.run && el("p", { class: "note" }, "One of a run. ", button("Undo the whole run", () => revert(operation.run, "the whole run"), { class: "quiet" })),
    operation.changes.length ? changes(operation) : null,
  );
}

// What is folded away is made when somebody unfolds it: most are never looked at, and each may ask for the names of others.
function changes(operation) {
  const list = el("ul", { class: "changes" });
  const fold = el("details", { on: { toggle: () => list.childElementCount || list.append(...operation.changes.map(changeOf)) } }, el("summary", {}, many(operation.changes.length, "change")), list);
  return fold;
}

const FINAL = new Set(["purge"]);

export function revertButton(operation) {
  if (operation.purged || FINAL.has(operation.verb)) return null;
  return button("Undo", () => revert(operation.id, word(operation.verb)), { class: "quiet", "aria-label": `Undo: ${deedOf(operation)} ${short(subjectOf(operation).text, 40)}`.trim() });
}

async function revert(id, name) {
  const given = await sheet(`Undo ${name}`, [{ name: "reason", label: "Why" }], "Undo");
  if (!given) return;
  await ask("revert", { id, ...given });
  said("Undone. That is a change too, and can be undone itself.");
  again();
}
