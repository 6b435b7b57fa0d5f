// The links of one memory as a small picture: it stands in the middle, its neighbours beside it; the list below says the same.

import { record as known } from "/web/api.js";
import { el, svg } from "/web/dom.js";
import { memoryLink } from "/web/parts.js";
import { short, word } from "/web/words.js";

const [WIDE, BOX, ROW, MOST] = [760, 178, 70, 12];

export async function graph(record, links) {
  if (!links.length) return el("p", { class: "note" }, "It is linked to nothing yet.");
  const shown = links.slice(0, MOST);
  const ends = await Promise.all(shown.map((link) => end(record, link)));
  return el("div", {}, el("div", { class: "graph-room", tabindex: "0", role: "region", "aria-label": "Picture of the links" }, picture(record, ends)), list(ends), links.length > MOST && el("p", { class: "note" }, `and ${links.length - MOST} more`));
}

async function end(record, link) {
  const outward = link.from_id === record.id;
  const id = outward ? link.to_id : link.from_id;
  const other = await known(id);
  return { id, outward, relation: link.relation, text: other ? other.content : id, status: other ? other.status : "" };
}

// What speaks of it at the left, what it speaks of at the right.
function picture(record, ends) {
  const [from, to] = [ends.filter((one) => !one.outward), ends.filter((one) => one.outward)];
  const high = Math.max(from.length, to.length) * ROW;
  const [left, right] = [BOX / 2 + 2, WIDE - BOX / 2 - 2];
  const middle = { x: from.length ? WIDE / 2 : left, y: high / 2 };
  const places = [...column(from, left, high), ...column(to, from.length ? right : WIDE / 2, high)];
  return svg(
    "svg",
    { class: "graph", viewBox: `0 0 ${WIDE} ${high}`, role: "group", "aria-label": "The links of this memory, as a picture; the list below says the same" },
    svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "8", markerHeight: "8", orient: "auto" }, svg("path", { d: "M0 0 8 4 0 8z" }))),
    places.map((one) => edge(middle, one)),
    node(middle, record.content, "here"),
    places.map((one) => svg("a", { href: `#/memory/${encodeURIComponent(one.id)}`, tabindex: "-1", "aria-label": short(one.text, 120) }, svg("title", {}, one.text), node(one, one.text, one.status))),
  );
}

function column(ends, x, high) {
  return ends.map((one, at) => ({ ...one, x, y: (high * (at + 0.5)) / ends.length }));
}

function edge(middle, one) {
  const [side, gap] = [one.outward ? 1 : -1, BOX / 2 + 3];
  const near = { x: middle.x + side * gap, y: middle.y };
  const far = { x: one.x - side * gap, y: one.y };
  const [from, to] = one.outward ? [near, far] : [far, near];
  return svg(
    "g",
    { class: "edge" },
    svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, "marker-end": "url(#tip)" }),
    svg("text", { x: (from.x + to.x) / 2, y: (near.y + 2 * far.y) / 3 - 6, "text-anchor": "middle" }, word(one.relation)),
  );
}

function node(at, text, sort) {
  const [first, second] = halves(text);
  return svg(
    "g",
    { class: `node ${sort}` },
    svg("rect", { x: at.x - BOX / 2, y: at.y - 25, width: BOX, height: 50, rx: 9 }),
    svg("text", { x: at.x, y: at.y + (second ? -3 : 5), "text-anchor": "middle" }, first),
    second && svg("text", { x: at.x, y: at.y + 15, "text-anchor": "middle" }, second),
  );
}

function halves(text) {
  if (text.length <= 24) return [text, ""];
  const cut = text.lastIndexOf(" ", 24);
  return cut > 0 ? [text.slice(0, cut), short(text.slice(cut + 1), 24)] : [text.slice(0, 24), short(text.slice(24), 24)];
}

function list(ends) {
  const said = (one, text) => (one.outward ? [`It ${VERBS[one.relation] || word(one.relation)} `, text] : [text, ` ${VERBS[one.relation] || word(one.relation)} this.`]);
  return el("ul", { class: "plain" }, ends.map((one) => el("li", {}, said(one, memoryLink(one.id, short(one.text, 110))))));
}

const VERBS = { related_to: "is related to", derived_from: "is derived from" };
