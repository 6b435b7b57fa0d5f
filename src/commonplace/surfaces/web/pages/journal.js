// The report of changes: who did what, when and why, newest first, each with what it changed and a button that undoes it.

import { ask } from "/web/api.js";
import { button, el, said } from "/web/dom.js";
import { again, go } from "/web/going.js";
import { changeOf, empty, heading, when } from "/web/parts.js";
import { sheet } from "/web/sheet.js";
import { day, many, short, word } from "/web/words.js";

export const title = "Changes";

const MOST = 200;

export async function view({ query }) {
  const actor = query.get("actor") || "";
  const [operations, known] = await Promise.all([ask("journal", { limit: MOST, actor }), ask("journal", { limit: 1000 })]);
  const undone = new Set(known.flatMap((one) => one.reverts));
  const days = Map.groupBy([...operations].reverse(), (one) => day(one.at));
  const node = el(
    "div",
    {},
    heading("Changes", "Nothing is lost: every change can be looked at, and undone."),
    who(actor, known),
    operations.length ? [...days].map(([name, ones]) => el("section", { class: "part" }, el("h2", {}, name), el("ol", { class: "story" }, ones.map((one) => happened(one, undone.has(one.id)))))) : empty("Nothing happened yet", ""),
    operations.length === MOST && el("p", { class: "note" }, `The newest ${MOST} are shown.`),
  );
  return { node };
}

function who(actor, known) {
  const actors = [...new Set(known.map((one) => one.actor))].sort();
  const choice = el("select", { id: "actor", on: { change: () => go(`#/journal${choice.value ? `?actor=${encodeURIComponent(choice.value)}` : ""}`) } }, el("option", { value: "" }, "everybody"), actors.map((one) => el("option", { value: one }, one)));
  choice.value = actor;
  return el("p", { class: "row" }, el("label", { for: "actor" }, "By "), choice);
}

function happened(operation, undone) {
  const first = operation.changes.find((change) => change[0] === "memory");
  const text = first && ((first[3] || {}).content || (first[2] || {}).content || "");
  return el(
    "li",
    { class: undone ? "card undone" : "card" },
    el(
      "header",
      { class: "line" },
      el("p", {}, el("strong", {}, word(operation.verb)), ` by ${operation.actor} `, when(operation.at)),
      undone ? el("span", { class: "badge archived" }, "undone") : revertButton(operation),
    ),
    text && el("p", { class: "said-text" }, short(text, 160)),
    operation.reason && el("p", { class: "why" }, operation.reason),
    operation.run && el("p", { class: "note" }, "One of a run. ", button("Undo the whole run", () => revert(operation.run, "the whole run"), { class: "quiet" })),
    operation.changes.length ? el("details", {}, el("summary", {}, many(operation.changes.length, "change")), el("ul", { class: "changes" }, operation.changes.map(changeOf))) : null,
  );
}

const FINAL = new Set(["purge"]);

export function revertButton(operation) {
  if (operation.purged || FINAL.has(operation.verb)) return null;
  return button("Undo", () => revert(operation.id, word(operation.verb)), { class: "quiet", "aria-label": `Undo ${word(operation.verb)}` });
}

async function revert(id, name) {
  const given = await sheet(`Undo ${name}`, [{ name: "reason", label: "Why" }], "Undo");
  if (!given) return;
  await ask("revert", { id, ...given });
  said("Undone. That is a change too, and can be undone itself.");
  again();
}
