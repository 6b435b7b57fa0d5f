// Why did the agent believe this? Each search and each handing-out left a receipt: what was asked, chosen and left out.

import { ask, record as known } from "/web/api.js";
import { button, el, replace, told } from "/web/dom.js";
import { go } from "/web/going.js";
import { empty, heading, memoryLink, table, when } from "/web/parts.js";
import { bars } from "/web/search.js";
import { many, short, word } from "/web/words.js";

export const title = "Receipts";

export async function view({ arg, query }) {
  return arg ? one(arg) : list(query.get("memory") || "", query.get("since") || "");
}

async function list(memory, since) {
  const receipts = await ask("receipts", { limit: 50, memory, since: since ? new Date(since).toISOString() : null });
  const node = el(
    "div",
    {},
    heading("Receipts", "What was asked, what was handed out, and why: for every search and every agent."),
    narrow(memory, since),
    receipts.length
      ? table("The newest first", ["When", "Asked", "By", "For", "Brought up"], receipts.map((each) => [when(each.at), el("a", { href: `#/receipts/${encodeURIComponent(each.id)}` }, short(each.query || "(not kept)", 80)), each.actor, word(each.moment), many(each.chosen.length, "memory", "memories")]))
      : empty("No receipt here", "Search for something, or let an agent ask."),
  );
  return { node };
}

function narrow(memory, since) {
  const [which, from] = [el("input", { id: "of-memory", type: "text", value: memory, autocomplete: "off", placeholder: "a memory's id" }), el("input", { id: "since", type: "date", value: since })];
  const act = (event) => (event.preventDefault(), go(`#/receipts?memory=${encodeURIComponent(which.value.trim())}&since=${encodeURIComponent(from.value)}`));
  return el("form", { class: "row", on: { submit: act } }, el("div", { class: "field" }, el("label", { for: "of-memory" }, "That brought up"), which), el("div", { class: "field" }, el("label", { for: "since" }, "Since"), from), el("button", { type: "submit" }, "Show"));
}

async function one(id) {
  const { receipt, because } = await ask("explain", { id });
  const again = el("div", { "aria-live": "polite" });
  const most = Math.max(0.001, ...[...receipt.chosen, ...receipt.near_misses].flatMap((each) => Object.values(each.scores)));
  const [chosen, missed] = await Promise.all([candidates(receipt.chosen, most), candidates(receipt.near_misses, most)]);
  const node = el(
    "article",
    {},
    el("header", { class: "heading" }, el("h1", {}, receipt.query || "A question that was not kept"), el("p", { class: "under" }, `${word(receipt.moment)} by ${receipt.actor} through ${receipt.surface}, `, when(receipt.at))),
    el("p", { class: "card big" }, because),
    el("p", { class: "actions" }, button("Ask the same now", () => anew(id, again))),
    again,
    part(`Handed out (${receipt.chosen.length})`, chosen.length ? el("ol", { class: "cards" }, chosen) : el("p", { class: "note" }, "Nothing.")),
    part(`Left out (${receipt.near_misses.length})`, missed.length ? el("ol", { class: "cards" }, missed) : el("p", { class: "note" }, "Nothing came near.")),
    part("How it was asked", table("Limits, steps and models", null, details(receipt))),
  );
  return { node };
}

function part(name, ...children) {
  return el("section", { class: "part" }, el("h2", {}, name), children);
}

function candidates(list, most) {
  return Promise.all(list.map((each) => candidate(each, most)));
}

async function candidate(each, most) {
  const record = await known(each.memory_id);
  return el(
    "li",
    { class: "card split" },
    el("div", {}, el("p", { class: "statement" }, memoryLink(each.memory_id, record ? record.content : "a memory that is no longer there")), each.reason && el("p", { class: "why" }, each.reason), el("p", { class: "facts" }, each.tokens && el("span", {}, many(each.tokens, "token")), each.reach !== "near" && el("span", {}, `from another project: ${word(each.reach)}`))),
    Object.keys(each.scores).length ? bars(each.scores, each.score, most) : el("p", { class: "note" }, "Loaded always, not by score."),
  );
}

function details(receipt) {
  const streams = receipt.streams.map((each) => (each.searched ? `${each.name}: ${each.found} found` : `${each.name}: not searched, ${each.why_not}`));
  const spent = Object.entries(receipt.timings).map(([name, ms]) => `${word(name)} ${ms.toFixed(1)}`);
  const asked = Object.entries(receipt.asked).map(([name, value]) => `${word(name)} ${JSON.stringify(value)}`);
  const models = Object.entries(receipt.models).map(([name, value]) => `${word(name)} ${value}`);
  const limits = Object.entries(receipt.thresholds).map(([name, value]) => `${word(name)} ${value}`);
  return [["profile", receipt.profile], ["asked with", asked.join(", ")], ["streams", streams.join("; ")], ["thresholds", limits.join(", ")], ["models", models.join(", ") || "none"], ["milliseconds", spent.join(", ")]].filter(([, text]) => text);
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
