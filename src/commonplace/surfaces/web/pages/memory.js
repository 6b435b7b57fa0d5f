// One memory: what it says, why the book believes it, what it is linked to, everything that happened to it.

import { ask, record as known } from "/web/api.js";
import { changeOf, deedOf, telling, wordDiff } from "/web/changed.js";
import { button, el, said } from "/web/dom.js";
import { graph } from "/web/graph.js";
import { revertButton } from "/web/journal.js";
import { again, go } from "/web/going.js";
import { facts, memoryLink, section, statement, table, when } from "/web/parts.js";
import { sheet } from "/web/sheet.js";
import { short, word } from "/web/words.js";

export const title = "Memory";

export async function view({ arg }) {
  const told = await ask("explain", { id: arg });
  const { record } = told;
  const [earlier, newer] = await Promise.all([record.supersedes, record.superseded_by].map((id) => id && known(id)));
  const node = el(
    "article",
    { class: "memory" },
    top(record),
    conflicts(told.conflicts),
    newer && replaced("What replaced it", record, newer, newer.id),
    earlier && replaced("What it said before", earlier, record, earlier.id),
    actions(record),
    section("Why the book believes it", el("p", {}, telling(`${told.because}.`)), source(told)),
    section("Links", await graph(record, told.links), told.links.length ? el("p", {}, el("a", { href: `#/links?around=${encodeURIComponent(record.id)}` }, "See it among the others")) : null),
    section("History", el("ol", { class: "story" }, [...told.history].reverse().map((one, at) => happened(one, at === 0)))),
    section("Receipts", receipts(told.receipts, record)),
    section("All fields", all(record)),
  );
  return { node };
}

const SHORT = 200;

// A short statement is its own heading; a long one has its beginning there, and stands below in full.
function top(record) {
  const whole = !record.title && record.content.length <= SHORT && !record.content.includes("\n");
  return el(
    "header",
    { class: "heading" },
    el("h1", { class: "statement" }, record.title || short(record.content.split("\n")[0], SHORT)),
    facts(record),
    record.status_reason && record.status !== "active" && el("p", { class: "why" }, telling(record.status_reason)),
    !whole && el("div", { class: "card" }, statement(record, false)),
    record.summary && el("p", { class: "why" }, el("strong", {}, "In short: "), record.summary),
    record.rationale && el("p", { class: "why" }, el("strong", {}, "Rationale: "), record.rationale),
  );
}

function replaced(name, before, after, id) {
  return el("section", { class: "card", "aria-label": name }, el("p", { class: "note" }, memoryLink(id, name)), el("p", { class: "said-text" }, wordDiff(before.content, after.content)));
}

function actions(record) {
  const live = record.status === "active";
  const gone = record.status === "archived" || record.status === "deleted";
  return el(
    "p",
    { class: "actions" },
    live && button("Replace by a newer statement", () => evolve(record)),
    live && button("Archive", () => withReason(record, "Archive it", (fields) => ask("archive", fields))),
    live && button("Forget", () => withReason(record, "Forget it", (fields) => ask("forget", fields))),
    gone && button("Bring back", () => withReason(record, "Bring it back", (fields) => ask("restore", fields))),
    record.status === "inbox" && el("a", { class: "like-button", href: "#/inbox" }, "Review in the inbox"),
  );
}

async function evolve(record) {
  const given = await sheet("Replace by a newer statement", [
    { name: "content", label: "What is true now", long: true, value: record.content, required: true },
    { name: "reason", label: "Why", required: true },
  ], "Replace");
  if (!given) return;
  const newer = await ask("evolve", { id: record.id, expect: record.fingerprint, ...given });
  said("Replaced. The earlier one stays readable.");
  go(`#/memory/${encodeURIComponent(newer.id)}`);
}

async function withReason(record, name, act) {
  const given = await sheet(name, [{ name: "reason", label: "Why" }], name);
  if (!given) return;
  await act({ id: record.id, ...given });
  said("Done. The history below can undo it.");
  again();
}

function source({ source: from, record }) {
  if (!from) return el("p", { class: "note" }, record.evidence_ref ? `Evidence: ${record.evidence_ref}` : "It names no source.");
  return el(
    "div",
    {},
    el("p", { class: "note" }, from.title || word(from.kind), from.kind !== "manual" && [", ", when(from.captured_at)], record.evidence_ref && ` (${record.evidence_ref})`),
    from.body && excerpt(from.body, record),
  );
}

const AROUND = 280;

// The source's own words, with the memory's marked where they stand.
function excerpt(body, record) {
  const span = spanOf(body, record);
  if (!span) return el("details", {}, el("summary", {}, "The source in full"), el("pre", { class: "source" }, body));
  const [start, end] = span;
  return el(
    "pre",
    { class: "source" },
    start > AROUND ? "… " : null,
    body.slice(Math.max(0, start - AROUND), start),
    el("mark", {}, body.slice(start, end)),
    body.slice(end, end + AROUND),
    end + AROUND < body.length ? " …" : null,
  );
}

function spanOf(body, record) {
  const named = /[#:](\d+)-(\d+)$/.exec(record.evidence_ref || "");
  if (named) {
    // Counted in characters as the book counts them, which are not always the browser's.
    const letters = [...body];
    const [start, end] = [Number(named[1]), Number(named[2])];
    if (end <= letters.length && start < end) return [letters.slice(0, start).join("").length, letters.slice(0, end).join("").length];
  }
  const at = body.indexOf(record.content);
  return at < 0 ? null : [at, at + record.content.length];
}

function conflicts(disputes) {
  const open = disputes.filter((one) => one.state === "open").length;
  return open ? el("p", { class: "warn" }, `${open === 1 ? "Another memory disagrees" : `${open} memories disagree`} with this one. `, el("a", { href: "#/conflicts" }, "See both sides")) : null;
}

function happened(operation, newest) {
  return el(
    "li",
    { class: "card" },
    el(
      "header",
      { class: "line" },
      el("p", {}, el("strong", {}, operation.actor), ` ${deedOf(operation)} `, el("span", { class: "how" }, when(operation.at), ` through ${operation.surface}`)),
      revertButton(operation),
    ),
    operation.reason && el("p", { class: "why" }, telling(operation.reason)),
    operation.purged ? el("p", { class: "note" }, "What it held was purged.") : el("details", { open: newest }, el("summary", {}, "What changed"), el("ul", { class: "changes" }, operation.changes.map(changeOf))),
  );
}

function receipts(list, record) {
  if (!list.length) return el("p", { class: "note" }, "It has not been brought up yet.");
  const shown = list.map((one) => {
    const chosen = one.chosen.some((other) => other.memory_id === record.id);
    return el("li", {}, el("a", { href: `#/receipts/${encodeURIComponent(one.id)}` }, short(one.query || word(one.moment), 70)), ` ${chosen ? "brought it up" : "left it out"} for ${one.actor}, `, when(one.at));
  });
  return [el("ul", { class: "plain" }, shown), el("p", {}, el("a", { href: `#/receipts?memory=${encodeURIComponent(record.id)}` }, "All receipts of it"))];
}

function all(record) {
  const rows = Object.entries(record).filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length));
  return el("details", {}, el("summary", {}, "As the book keeps them"), table("Fields of this memory", null, rows.map(([name, value]) => [word(name), String(value)])));
}
