// A change in words: who did what, to which memory, and which of its words are now others.

import { record as known } from "/web/api.js";
import { el, visible } from "/web/dom.js";
import { memoryLink } from "/web/parts.js";
import { difference, short, word } from "/web/words.js";

const DEEDS = {
  save: "saved", reinforce: "heard again", evolve: "replaced", link: "linked", unlink: "unlinked", archive: "archived", restore: "brought back",
  forget: "forgot", promote: "accepted", reject: "turned away", edit: "edited", import: "imported", revert: "undid", purge: "purged",
  capture: "captured", extract: "extracted", contradict: "noted a conflict",
};

export function deed(verb) {
  return DEEDS[verb] || word(verb);
}

// The journal knows one verb for finding a conflict and for deciding it; a person wants to know which.
export function deedOf({ verb, changes }) {
  const decided = verb === "contradict" && changes.some(([entity, , before, after]) => entity === "conflict" && before && after);
  return decided ? "decided a conflict" : deed(verb);
}

// What an operation was about, in the memory's own words.
export function subjectOf({ changes }) {
  const [, id, before, after] = changes.find(([entity]) => entity === "memory") || [];
  return { id, text: (after || {}).content || (before || {}).content || "" };
}

export function changeOf([entity, id, before, after]) {
  const how = after === null ? "taken away" : before === null ? "made" : "changed";
  return el(
    "li",
    { class: "change" },
    el("p", {}, el("span", { class: "how" }, `${entity} ${how}`), " ", nameOf(entity, id, before, after)),
    before && after && fields(before, after),
  );
}

function nameOf(entity, id, before, after) {
  const now = after || before || {};
  if (entity === "memory") return named(id, now.content);
  if (entity === "link" && now.from_id) return [named(now.from_id), ` ${word(now.relation)} `, named(now.to_id)];
  if (entity === "conflict" && now.left_id) return [named(now.left_id), " against ", named(now.right_id)];
  return el("span", {}, short(String(now.reason || now.title || id), 80));
}

// A change tells only what differs; what the memory says is then asked for.
export function named(id, content = "", most = 70) {
  const link = memoryLink(id, short(content || id, most));
  if (!content) known(id).then((record) => record && link.replaceChildren(visible(short(record.content, most))));
  return link;
}

export function wordDiff(before, after) {
  const tags = { same: "span", gone: "del", new: "ins" };
  return el("span", { class: "words" }, difference(before, after).filter((piece) => piece.text).map((piece) => el(tags[piece.sort], {}, piece.text)));
}

// Fields that say nothing to a person: they follow from the others.
const SILENT = new Set(["updated_at", "fingerprint", "slug", "id"]);
const FIRST = ["content", "status", "type", "scope", "rationale", "status_reason", "tags"];

function fields(before, after) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !SILENT.has(name));
  names.sort((a, b) => (FIRST.indexOf(a) + 1 || 99) - (FIRST.indexOf(b) + 1 || 99));
  return names.length ? el("dl", { class: "fields" }, names.map((name) => [el("dt", {}, word(name)), el("dd", {}, wordDiff(plain(before[name]), plain(after[name])))])) : null;
}

function plain(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const ID = /\b([0-9A-HJKMNP-TV-Z]{26})\b/;

// A sentence of the book that names memories by id: each becomes a link that says what it is.
export function telling(text) {
  return String(text).split(ID).map((piece, at) => (at % 2 ? named(piece, "", 60) : piece));
}
