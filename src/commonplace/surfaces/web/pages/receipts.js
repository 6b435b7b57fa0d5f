// Why did the agent believe this? Each search and each handing-out left a receipt: what was asked, chosen and left out.

import { ask } from "/web/api.js";
import { el } from "/web/dom.js";
import { go } from "/web/going.js";
import { empty, heading, hour, table } from "/web/parts.js";
import * as receipt from "/web/receipt.js";
import { day, many, short, word } from "/web/words.js";

export const title = "Receipts";

const MOST = 300;

export async function view({ arg, query }) {
  return arg ? receipt.view(arg) : list(Object.fromEntries(["memory", "on", "by"].map((name) => [name, query.get(name) || ""])));
}

async function list({ memory, on, by }) {
  const begins = /^\d{4}-\d\d-\d\d$/.test(on) ? new Date(`${on}T00:00`) : null;
  const all = await ask("receipts", { limit: MOST, memory, since: begins && begins.toISOString() });
  const shown = all.filter((one) => (!by || one.actor === by) && (!begins || new Date(one.at) < begins.getTime() + 86400000));
  const days = Map.groupBy(shown, (one) => day(one.at));
  const node = el(
    "div",
    {},
    heading("Receipts", "Why did the agent believe this on Tuesday? Every search, and everything that was handed to an agent, is kept here with its reasons."),
    narrow({ memory, on, by }, [...new Set(all.map((one) => one.actor))].sort()),
    shown.length ? [...days].map(([name, ones]) => el("section", { class: "part" }, el("h2", {}, name), table(name, ["At", "Asked", "By", "For", "Brought up"], ones.map(row), true))) : empty("No receipt here", "Choose another day or everybody, search for something, or let an agent ask."),
    all.length === MOST && el("p", { class: "note" }, `Only the newest ${MOST} were looked through; choose a day to see others.`),
  );
  return { node };
}

function row(each) {
  const asked = el("a", { href: `#/receipts/${encodeURIComponent(each.id)}` }, short(each.query || "(not kept)", 80));
  return [hour(each.at), asked, each.actor, word(each.moment), each.chosen.length ? many(each.chosen.length, "memory", "memories") : "nothing"];
}

function narrow({ memory, on, by }, actors) {
  const moved = () => go(`#/receipts?${new URLSearchParams(Object.entries({ memory, on: when.value, by: who.value }).filter(([, value]) => value))}`);
  const when = el("input", { id: "on", type: "date", value: on, on: { change: moved } });
  const who = el("select", { id: "by", on: { change: moved } }, el("option", { value: "" }, "everybody"), [...new Set([...actors, ...(by ? [by] : [])])].map((one) => el("option", { value: one }, one)));
  who.value = by;
  return el(
    "div",
    { class: "row" },
    el("div", { class: "field" }, el("label", { for: "on" }, "On"), when),
    el("div", { class: "field" }, el("label", { for: "by" }, "Asked by"), who),
    memory && el("p", { class: "note" }, "Only those that looked at one memory. ", el("a", { href: "#/receipts" }, "Show all")),
  );
}
