// What several views show: a memory in short, the words that speak for it, a change, an empty page.

import { record as known } from "/web/api.js";
import { el } from "/web/dom.js";
import { difference, moment, short, word } from "/web/words.js";

export function heading(title, under = "") {
  return el("header", { class: "heading" }, el("h1", {}, title), under && el("p", { class: "under" }, under));
}

export function memoryLink(id, text = id) {
  return el("a", { href: `#/memory/${encodeURIComponent(id)}` }, text);
}

export function when(iso) {
  return iso ? el("time", { datetime: iso, title: iso }, moment(iso)) : null;
}

export function badge(name, sort = name) {
  return el("span", { class: `badge ${String(sort).replace(/[^a-z_-]/g, "")}` }, word(name));
}

const CHANNELS = { operator: "said by the operator", agent: "said by an agent", extracted: "found in a capture", curated: "curated", external: "from outside" };

// Status, type, where it belongs, who said it.
export function facts(record) {
  const owner = record.project_id || record.repo_id || record.agent_id;
  return el(
    "p",
    { class: "facts" },
    badge(record.status),
    el("span", {}, word(record.type)),
    el("span", {}, owner ? `${record.scope} ${owner}` : word(record.scope)),
    el("span", {}, CHANNELS[record.trust] || word(record.trust)),
    when(record.created_at),
    record.tags.map((tag) => el("span", { class: "tag" }, tag)),
  );
}

export function statement(record, linked = true) {
  const text = el("span", { class: "words" }, record.content);
  return el("p", { class: "statement" }, linked ? el("a", { href: `#/memory/${encodeURIComponent(record.id)}` }, text) : text);
}

export function quote(evidence) {
  if (!evidence) return null;
  const from = evidence.quoted_from === "source" ? "in the source" : "in the memory itself";
  return el(
    "figure",
    { class: "quote" },
    el("blockquote", {}, evidence.quote),
    el("figcaption", {}, `${from}${evidence.ref ? `, ${short(evidence.ref, 48)}` : ""}`),
  );
}

export function empty(title, text) {
  return el("div", { class: "empty" }, el("p", { class: "empty-title" }, title), text && el("p", {}, text));
}

export function table(caption, heads, rows) {
  return el(
    "div",
    { class: heads ? "table rows" : "table", tabindex: "0", role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", {}, caption),
      heads && el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, at) => (at ? el("td", {}, cell) : el("th", { scope: "row" }, cell)))))),
    ),
  );
}

export function wordDiff(before, after) {
  const tags = { same: "span", gone: "del", new: "ins" };
  return el("span", { class: "words" }, difference(before, after).filter((piece) => piece.text).map((piece) => el(tags[piece.sort], {}, piece.text)));
}

// Fields that say nothing to a person: they follow from the others.
const SILENT = new Set(["updated_at", "fingerprint", "slug", "id"]);
const FIRST = ["content", "status", "type", "scope", "rationale", "status_reason", "tags"];

export function changeOf([entity, id, before, after]) {
  const name = entity === "memory" ? named(id, (after || before || {}).content) : el("span", {}, linkName(entity, before, after, id));
  const how = before === null ? "made" : after === null ? "taken away" : "changed";
  return el("li", { class: "change" }, el("p", {}, el("span", { class: "how" }, `${entity} ${how}`), " ", name), before && after && fields(before, after));
}

// A change tells only what differs; what the memory says is then asked for.
function named(id, content) {
  const link = memoryLink(id, short(content || id, 70));
  if (!content) known(id).then((record) => record && (link.textContent = short(record.content, 70)));
  return link;
}

function linkName(entity, before, after, id) {
  const now = after || before || {};
  return entity === "link" && now.relation ? word(now.relation) : short(String(now.reason || now.title || id), 80);
}

function fields(before, after) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !SILENT.has(name));
  names.sort((a, b) => (FIRST.indexOf(a) + 1 || 99) - (FIRST.indexOf(b) + 1 || 99));
  return names.length ? el("dl", { class: "fields" }, names.map((name) => field(name, before[name], after[name]))) : null;
}

function field(name, before, after) {
  const [old, now] = [plain(before), plain(after)];
  return [el("dt", {}, word(name)), el("dd", {}, wordDiff(old, now))];
}

function plain(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
