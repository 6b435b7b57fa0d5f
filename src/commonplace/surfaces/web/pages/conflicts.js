// Two memories that cannot both be true, side by side. A person says which one is wrong, and how they know.

import { ask } from "/web/api.js";
import { button, el, said } from "/web/dom.js";
import { again } from "/web/going.js";
import { empty, facts, heading, statement, when } from "/web/parts.js";
import { sheet } from "/web/sheet.js";
import { difference, many, short } from "/web/words.js";

export const title = "Conflicts";

export async function view({ query }) {
  const state = query.get("state") || "open";
  const disputes = await ask("conflicts", { state });
  const node = el(
    "div",
    {},
    heading("Conflicts", state === "open" && disputes.length ? `${many(disputes.length, "pair")} of memories that cannot both be true.` : ""),
    el("p", { class: "tabs" }, ["open", "resolved", "all"].map((one) => el("a", { href: `#/conflicts?state=${one}`, "aria-current": one === state ? "true" : null }, one))),
    disputes.length ? disputes.map(dispute) : empty("No conflict here", "When two memories disagree, both stay until somebody decides; they are then shown here side by side."),
  );
  return { node };
}

function dispute(one) {
  return el(
    "section",
    { class: "dispute", "aria-label": one.reason },
    el("header", { class: "line" }, el("h2", {}, one.reason), el("p", { class: "how" }, "since ", when(one.created_at))),
    el("div", { class: "sides" }, side(one, one.left, one.left_id, one.right, "gone"), side(one, one.right, one.right_id, one.left, "new")),
    one.state === "resolved" && el("p", { class: "note" }, `Decided by ${one.resolved_by || "somebody"}: ${one.resolution || ""} `, when(one.resolved_at)),
  );
}

// Its words; those that the other side has not are marked. Where little is shared, everything would be.
function apart(record, other, own) {
  const pieces = other ? (own === "gone" ? difference(record.content, other.content) : difference(other.content, record.content)) : [];
  if (!pieces.some((piece) => piece.sort === "same" && piece.text.trim())) return record.content;
  return pieces.filter((piece) => piece.sort === "same" || piece.sort === own).map((piece) => (piece.sort === own && piece.text.trim() ? el("b", { class: "hit" }, piece.text) : piece.text));
}

function side(one, record, id, other, own) {
  if (!record) return el("div", { class: "card" }, el("p", {}, `${id} is no longer there.`));
  const lost = one.loser_id === id;
  return el(
    "div",
    { class: lost ? "card lost" : "card" },
    statement(record, true, apart(record, other, own)),
    record.rationale && el("p", { class: "why" }, el("strong", {}, "Rationale: "), record.rationale),
    facts(record),
    lost && el("p", { class: "note" }, "This side was wrong."),
    one.state === "open" && el("p", { class: "actions" }, button("This one is wrong", () => resolve(one, record), { "aria-label": `This one is wrong: ${short(record.content, 60)}` })),
  );
}

async function resolve(one, loser) {
  const given = await sheet("This one is wrong", [{ name: "reason", label: "How do you know?", required: true }], "Decide", el("p", { class: "note" }, short(loser.content, 160)));
  if (!given) return;
  await ask("resolve", { id: one.id, loser: loser.id, ...given });
  said("Decided. The other side stays; the changes can undo it.");
  again();
}
