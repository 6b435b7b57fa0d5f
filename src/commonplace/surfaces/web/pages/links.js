// The links of the whole book as one picture: what hangs together lies together. The list below says the same in words.

import { ask } from "/web/api.js";
import { named } from "/web/changed.js";
import { el, svg } from "/web/dom.js";
import { go } from "/web/going.js";
import { empty, heading, memoryLink, section } from "/web/parts.js";
import { arranged } from "/web/spread.js";
import { many, short, word } from "/web/words.js";

export const title = "Links";

const [WIDE, MOST, STEPS] = [1000, 120, 2];

export async function view({ query }) {
  const [operations, records] = await Promise.all([ask("journal", { limit: 5000 }), ask("list", { statuses: ["all"], limit: 1000 })]);
  const around = query.get("around") || "";
  const relation = query.get("relation") || "";
  const made = linksIn(operations);
  const links = made.filter((one) => !relation || one.relation === relation);
  const web = near(links, around);
  const texts = new Map(records.map((one) => [one.id, one]));
  const node = el(
    "div",
    {},
    heading("Links", `${many(web.links.length, "link")} between ${many(web.ids.length, "memory", "memories")}${around ? ", within two steps of one" : ""}.`),
    narrow(made, relation, around),
    web.links.length ? [picture(web, texts, around), list(web, texts)] : empty("No links here", "Say how one memory stands to another: commonplace link ID supports OTHER.", around && el("p", {}, el("a", { href: "#/links" }, "Show all links"))),
  );
  return { node };
}

// The journal knows every link that was made, and every one that was taken back.
function linksIn(operations) {
  const links = new Map();
  for (const { changes } of operations)
    for (const [entity, id, , after] of changes)
      if (entity === "link" && after === null) links.delete(id);
      else if (entity === "link" && after.from_id) links.set(id, after);
  return [...links.values()];
}

function near(links, around) {
  let kept = links;
  if (around) {
    let circle = new Set([around]);
    for (let step = 0; step < STEPS; step++) circle = new Set([...circle, ...links.filter((one) => circle.has(one.from_id) || circle.has(one.to_id)).flatMap((one) => [one.from_id, one.to_id])]);
    kept = links.filter((one) => circle.has(one.from_id) && circle.has(one.to_id));
  }
  const counts = new Map();
  for (const { from_id, to_id } of kept) for (const id of [from_id, to_id]) counts.set(id, (counts.get(id) || 0) + 1);
  const ids = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, MOST);
  const there = new Set(ids);
  return { ids, counts, links: kept.filter((one) => there.has(one.from_id) && there.has(one.to_id)) };
}

function narrow(links, relation, around) {
  const relations = [...new Set(links.map((one) => one.relation))].sort();
  const choice = el("select", { id: "relation", on: { change: () => go(`#/links?${new URLSearchParams(Object.entries({ relation: choice.value, around }).filter(([, value]) => value))}`) } }, el("option", { value: "" }, "of every sort"), relations.map((one) => el("option", { value: one }, word(one))));
  choice.value = relation;
  return el("p", { class: "row" }, el("label", { for: "relation" }, "Links"), choice, around && el("a", { href: "#/links" }, "Show all"));
}

function picture(web, texts, around) {
  const { places, high } = arranged(web.ids, web.links, WIDE);
  return el(
    "div",
    { class: "graph-room card", tabindex: "0", role: "region", "aria-label": "Picture of the links" },
    svg(
      "svg",
      { class: "graph whole", viewBox: `0 0 ${WIDE} ${high}`, role: "group", "aria-label": "All links; the list below says the same" },
      web.links.map((one) => line(places.get(one.from_id), places.get(one.to_id), one.relation)),
      web.ids.map((id) => dot(id, places.get(id), web.counts.get(id), texts.get(id), id === around)),
      labels(web.ids, places, texts),
    ),
    el("p", { class: "legend" }, [["supports", "supports and the rest"], ["supersedes", "replaces"], ["contradicts", "contradicts"]].map(([sort, name]) => el("span", {}, svg("svg", { class: "graph key", viewBox: "0 0 28 8", "aria-hidden": "true" }, line({ x: 1, y: 4 }, { x: 27, y: 4 }, sort)), name))),
  );
}

function line(from, to, relation) {
  return svg("line", { class: `tie ${relation.replace(/[^a-z_]/g, "")}`, x1: from.x, y1: from.y, x2: to.x, y2: to.y });
}

function dot(id, at, count, record, here) {
  const text = record ? record.content : "a memory that is no longer there";
  return svg(
    "a",
    { href: `#/memory/${encodeURIComponent(id)}`, class: `dot ${record ? record.status : "deleted"} ${here ? "here" : ""}`, tabindex: "-1", "aria-label": short(text, 120) },
    svg("title", {}, `${short(text, 160)} (${many(count, "link")})`),
    svg("circle", { cx: at.x, cy: at.y, r: 5 + 2.2 * Math.sqrt(count) }),
  );
}

// A name for as many as have room for one, those with the most links first; the others say theirs when pointed at.
function labels(ids, places, texts) {
  const taken = ids.map((id) => ({ x: places.get(id).x, y: places.get(id).y, half: 10 }));
  return ids.filter((id) => texts.has(id)).map((id) => {
    const [text, at] = [short(texts.get(id).content, 26), places.get(id)];
    const half = 3.1 * text.length;
    const box = { x: Math.max(half + 4, Math.min(WIDE - half - 4, at.x)), y: at.y - 17, half };
    if (taken.some((one) => Math.abs(one.y - box.y) < 13 && Math.abs(one.x - box.x) < one.half + half)) return null;
    taken.push(box);
    return svg("text", { class: "name", x: box.x, y: box.y + 4, "text-anchor": "middle", "aria-hidden": "true" }, text);
  });
}

// Those with the most links first, each with all that it says of others.
function list(web, texts) {
  const out = Map.groupBy(web.links, (one) => one.from_id);
  const shown = web.ids.filter((id) => out.has(id));
  return section(
    "In words",
    el("ul", { class: "plain spaced" }, shown.map((id) => el("li", {}, el("p", { class: "statement" }, memoryLink(id, texts.has(id) ? short(texts.get(id).content, 110) : id)), el("ul", { class: "plain inner" }, out.get(id).map((one) => el("li", {}, el("span", { class: "how" }, word(one.relation)), " ", named(one.to_id, texts.get(one.to_id)?.content, 90))))))),
  );
}
