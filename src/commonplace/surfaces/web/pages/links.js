// The links of the whole book as one picture: what hangs together lies together. The list below says the same in words.

import { ask, record as known } from "/web/api.js";
import { el, svg } from "/web/dom.js";
import { go } from "/web/going.js";
import { empty, heading, memoryLink, section } from "/web/parts.js";
import { arranged } from "/web/spread.js";
import { many, short, word } from "/web/words.js";

export const title = "Links";

const [WIDE, MOST, STEPS, PAGE, PAGES] = [1000, 120, 2, 1000, 10];

export async function view({ query }) {
  const [around, relation] = ["around", "relation"].map((name) => query.get(name) || "");
  const [made, records, { links: total }] = await Promise.all([around ? near(around) : everyLink(), ask("list", { statuses: ["all"], limit: 1000 }), ask("stats")]);
  const links = made.filter((one) => !relation || one.relation === relation);
  const web = chosen(links);
  const texts = await named(web.ids, records);
  const node = el(
    "div",
    {},
    heading("Links", `${many(web.links.length, "link")} between ${many(web.ids.length, "memory", "memories")}${around ? ", within two steps of one" : ""}${total > web.links.length ? `, of ${many(total, "link")} in all` : ""}.`),
    narrow(made, relation, around),
    web.links.length ? [picture(web, texts, around), list(web, texts)] : empty("No links here", "Say how one memory stands to another: commonplace link ID supports OTHER.", around && el("p", {}, el("a", { href: "#/links" }, "Show all links"))),
  );
  return { node };
}

// What each says. The newest are asked for together, the few others one by one.
async function named(ids, records) {
  const texts = new Map(records.map((one) => [one.id, one]));
  const others = await Promise.all(ids.filter((id) => !texts.has(id)).map(known));
  for (const one of others) if (one) texts.set(one.id, one);
  return texts;
}

// Those of the newest memories first, as many as a page can look at.
async function everyLink() {
  const links = [];
  for (let page = 0; page < PAGES; page++) {
    const more = await ask("links", { limit: PAGE, after: links.length ? idOf(links.at(-1)) : null });
    links.push(...more);
    if (more.length < PAGE) break;
  }
  return links;
}

const idOf = ({ from_id, relation, to_id }) => `${from_id}>${relation}>${to_id}`;

// What is within so many steps of one memory, and all links among that.
async function near(around) {
  let circle = new Set([around]);
  for (let step = 0; step < STEPS; step++) circle = new Set([...circle, ...(await linksOf(circle)).flatMap(ends)]);
  return (await linksOf(circle)).filter((one) => circle.has(one.from_id) && circle.has(one.to_id));
}

const linksOf = (circle) => ask("links", { memories: [...circle], limit: PAGE });

const ends = ({ from_id, to_id }) => [from_id, to_id];

// As many as a picture can hold: the one with the most links and all that hangs on it, then the next.
function chosen(links) {
  const beside = new Map();
  for (const [from, to] of links.map(ends)) for (const [one, other] of [[from, to], [to, from]]) beside.set(one, (beside.get(one) || new Set()).add(other));
  const most = [...beside.keys()].sort((a, b) => beside.get(b).size - beside.get(a).size);
  const taken = new Set();
  for (const first of most) for (const waiting = [first]; waiting.length && taken.size < MOST; ) {
    const id = waiting.shift();
    if (!taken.has(id)) (taken.add(id), waiting.push(...beside.get(id)));
  }
  const kept = links.filter((one) => taken.has(one.from_id) && taken.has(one.to_id));
  const linked = new Set(kept.flatMap(ends));
  return { ids: most.filter((id) => linked.has(id)), counts: new Map(most.map((id) => [id, beside.get(id).size])), links: kept };
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

// A name for as many as have room for one, above, below or beside; those with the most links first. The others say theirs when
// pointed at.
function labels(ids, places, texts) {
  const taken = ids.map((id) => ({ x: places.get(id).x, y: places.get(id).y, half: 10 }));
  return ids.filter((id) => texts.has(id)).map((id) => {
    const [text, at] = [short(texts.get(id).content, 26), places.get(id)];
    const half = 3.1 * text.length;
    const box = rooms(at, half).find((place) => !taken.some((one) => Math.abs(one.y - place.y) < 13 && Math.abs(one.x - place.x) < one.half + half));
    if (!box) return null;
    taken.push(box);
    return svg("text", { class: "name", x: box.x, y: box.y + 4, "text-anchor": "middle", "aria-hidden": "true" }, text);
  });
}

function rooms(at, half) {
  const inside = (x) => Math.max(half + 4, Math.min(WIDE - half - 4, x));
  const beside = [at.x + half + 16, at.x - half - 16].filter((x) => x === inside(x));
  return [{ x: inside(at.x), y: at.y - 17, half }, { x: inside(at.x), y: at.y + 19, half }, ...beside.map((x) => ({ x, y: at.y, half }))];
}

// Those with the most links first, each with all that it says of others.
function list(web, texts) {
  const out = Map.groupBy(web.links, (one) => one.from_id);
  const said = (id) => texts.get(id)?.content || id;
  const shown = web.ids.filter((id) => out.has(id));
  return section(
    "In words",
    el("ul", { class: "plain spaced" }, shown.map((id) => el("li", {}, el("p", { class: "statement" }, memoryLink(id, short(said(id), 110))), el("ul", { class: "plain inner" }, out.get(id).map((one) => el("li", {}, el("span", { class: "how" }, word(one.relation)), " ", memoryLink(one.to_id, short(said(one.to_id), 90)))))))),
  );
}
