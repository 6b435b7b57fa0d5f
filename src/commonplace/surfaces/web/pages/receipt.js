// One receipt: the answer as it was given then. Each memory is shown with the words it had at that moment, and what became of it.

import { ask, record as known } from "/web/api.js";
import { telling, wordDiff } from "/web/changed.js";
import { button, el, replace, told } from "/web/dom.js";
import { badge, memoryLink, section, table, when } from "/web/parts.js";
import { bars } from "/web/search.js";
import { many, short, word } from "/web/words.js";

export async function view(id) {
  const { receipt, because } = await ask("explain", { id });
  const again = el("div", { "aria-live": "polite" });
  const most = Math.max(0.001, ...[...receipt.chosen, ...receipt.near_misses].flatMap((each) => Object.values(each.scores)));
  const [chosen, missed] = await Promise.all([candidates(receipt.chosen, receipt.at, most), candidates(receipt.near_misses, receipt.at, most)]);
  const node = el(
    "article",
    {},
    el("header", { class: "heading" }, el("p", { class: "over" }, el("a", { href: "#/receipts" }, "Receipts")), el("h1", {}, receipt.query || "A question that was not kept"), el("p", { class: "under" }, `${word(receipt.moment)} by ${receipt.actor} through ${receipt.surface}, `, when(receipt.at))),
    el("p", { class: "card" }, `${because}.`),
    el("p", { class: "actions" }, button("Ask the same now", () => anew(id, again)), el("a", { class: "like-button", href: `#/timeline?at=${encodeURIComponent(receipt.at)}` }, "The whole book at that moment")),
    again,
    section(`Handed out (${receipt.chosen.length})`, chosen.length ? el("ol", { class: "cards" }, chosen) : el("p", { class: "note" }, "Nothing.")),
    section(`Left out (${receipt.near_misses.length})`, missed.length ? el("ol", { class: "cards" }, missed) : el("p", { class: "note" }, "Nothing came near.")),
    section("How it was asked", table("Limits, steps and models", null, details(receipt))),
  );
  return { node };
}

function candidates(list, at, most) {
  return Promise.all(list.map((each) => candidate(each, at, most)));
}

async function candidate(each, at, most) {
  const [then, now] = await Promise.all([ask("get", { id: each.memory_id, as_of: at }).catch(() => null), known(each.memory_id)]);
  const text = (then || now || { content: "a memory that is no longer there" }).content;
  return el(
    "li",
    { class: "card split" },
    el(
      "div",
      {},
      el("p", { class: "statement" }, memoryLink(each.memory_id, text)),
      each.reason && el("p", { class: "why" }, telling(each.reason)),
      then && now && (then.status !== now.status || then.content !== now.content) && became(then, now),
      el("p", { class: "facts" }, each.tokens && el("span", {}, many(each.tokens, "token")), each.reach !== "near" && el("span", {}, `from another project: ${word(each.reach)}`)),
    ),
    Object.keys(each.scores).length ? bars(each.scores, each.score, most) : el("p", { class: "note" }, "Loaded always, not by score."),
  );
}

// Believed then; and today?
function became(then, now) {
  return el(
    "div",
    { class: "note" },
    el("p", {}, "Today it is ", badge(now.status), now.superseded_by && [": ", memoryLink(now.superseded_by, "what replaced it")]),
    then.content !== now.content && el("p", {}, wordDiff(then.content, now.content)),
  );
}

function details(receipt) {
  const streams = receipt.streams.map((each) => (each.searched ? `${each.name}: ${each.found} found` : `${each.name}: not searched, ${each.why_not}`));
  const pairs = (fields, told = (value) => value) => Object.entries(fields).map(([name, value]) => `${word(name)} ${told(value)}`).join(", ");
  return [
    ["profile", receipt.profile],
    ["asked with", pairs(receipt.asked, JSON.stringify)],
    ["streams", streams.join("; ")],
    ["thresholds", pairs(receipt.thresholds)],
    ["models", pairs(receipt.models) || "none"],
    ["milliseconds", pairs(receipt.timings, (ms) => ms.toFixed(1))],
  ].filter(([, text]) => text);
}

async function anew(id, place) {
  try {
    const { same, again } = await ask("explain", { id });
    const text = same === null ? "It can no longer be asked." : same ? "The same memories, in the same order." : "Today the answer is another one:";
    const records = same === false ? await Promise.all(again.map(known)) : [];
    replace(place, el("p", { class: "note" }, text), el("ol", {}, records.filter(Boolean).map((record) => el("li", {}, memoryLink(record.id, short(record.content, 120))))));
  } catch (error) {
    replace(place, el("p", { class: "warn" }, told(error)));
  }
}
