// What several views show: a memory in short, the words that speak for it, a table, an empty page.

import { el } from "/web/dom.js";
import { clock, moment, short, word } from "/web/words.js";

export function heading(title, under = "") {
  return el("header", { class: "heading" }, el("h1", {}, title), under && el("p", { class: "under" }, under));
}

export function memoryLink(id, text = id) {
  return el("a", { href: `#/memory/${encodeURIComponent(id)}` }, text);
}

export function when(iso) {
  return iso ? el("time", { datetime: iso, title: iso }, moment(iso)) : null;
}

// Under the heading of its day the hour is enough.
export function hour(iso) {
  return el("time", { datetime: iso, title: iso }, clock(iso));
}

export function badge(name, sort = name) {
  return el("span", { class: `badge ${String(sort).replace(/[^a-z_-]/g, "")}` }, word(name));
}

export function section(name, ...children) {
  return el("section", { class: "part" }, el("h2", {}, name), children);
}

const CHANNELS = { operator: "said by the operator", agent: "said by an agent", extracted: "found in a capture", curated: "curated", external: "from outside" };

// Status, type, where it belongs, who said it.
export function facts(record, dated = true) {
  return el(
    "p",
    { class: "facts" },
    badge(record.status),
    el("span", {}, word(record.type)),
    el("span", {}, belongs(record)),
    el("span", {}, CHANNELS[record.trust] || word(record.trust)),
    dated && when(record.created_at),
    record.tags.map((tag) => el("span", { class: "tag" }, tag)),
  );
}

function belongs(record) {
  if (record.project_id && record.scope === "project") return `in ${record.project_id}`;
  const owner = record.project_id || record.repo_id || record.agent_id;
  return owner ? `${word(record.scope)} ${owner}` : word(record.scope);
}

export function statement(record, linked = true, words = record.content) {
  const text = el("span", { class: "words" }, words);
  return el("p", { class: "statement" }, linked ? el("a", { href: `#/memory/${encodeURIComponent(record.id)}` }, text) : text);
}

export function quote(evidence) {
  if (!evidence) return null;
  const from = evidence.quoted_from === "source" ? "in the source" : "in the memory itself";
  return el("figure", { class: "quote" }, el("blockquote", {}, evidence.quote), el("figcaption", {}, `${from}${place(evidence.ref)}`));
}

// A source's id says nothing to a reader; where in it the words stand does.
function place(ref) {
  if (!ref) return "";
  const [, start, end] = /^[0-9A-Z]{26}#(\d+)-(\d+)$/.exec(ref) || [];
  return start ? `, characters ${start} to ${end}` : `, ${short(ref, 48)}`;
}

// Nothing to show is no dead end: what comes after the title says what to do next.
export function empty(title, ...next) {
  return el("div", { class: "empty" }, el("p", { class: "empty-title" }, title), next.filter(Boolean).map((one) => (one instanceof Node ? one : el("p", {}, one))));
}

export function table(caption, heads, rows, quiet = false) {
  return el(
    "div",
    { class: `table${heads ? " rows" : ""}${quiet ? " quiet" : ""}`, tabindex: "0", role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", { class: quiet ? "hidden" : null }, caption),
      heads && el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, at) => (at ? el("td", {}, cell) : el("th", { scope: "row" }, cell)))))),
    ),
  );
}
