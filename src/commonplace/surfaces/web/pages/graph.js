// The links of one memory as a small picture: it stands in the middle, its neighbours around it; the same as a list below.

import { record as known } from "/web/api.js";
import { el, svg } from "/web/dom.js";
import { memoryLink } from "/web/parts.js";
import { short, word } from "/web/words.js";

const [WIDE, HIGH, MOST] = [720, 380, 12];

export async function graph(record, links) {
  if (!links.length) return el("p", { class: "note" }, "It is linked to nothing yet.");
  const shown = links.slice(0, MOST);
  const ends = await Promise.all(shown.map((link) => end(record, link)));
  return el("div", {}, picture(record, ends), list(ends), links.length > MOST && el("p", { class: "note" }, `and ${links.length - MOST} more`));
}

async function end(record, link) {
  const outward = link.from_id === record.id;
  const id = outward ? link.to_id : link.from_id;
  const other = await known(id);
  return { id, outward, relation: link.relation, text: other ? other.content : id, status: other ? other.status : "" };
}

function picture(record, ends) {
  const places = ends.map((one, at) => ({ ...one, ...around(at, ends.length) }));
  const middle = { x: WIDE / 2, y: HIGH / 2 };
  return svg(
    "svg",
    { class: "graph", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `The links of this memory: ${ends.length}` },
    svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "8", markerHeight: "8", orient: "auto-start-reverse" }, svg("path", { d: "M0 0 8 4 0 8z" }))),
    places.map((one) => edge(middle, one)),
    node(middle, short(record.content, 44), "here"),
    places.map((one) => svg("a", { href: `#/memory/${encodeURIComponent(one.id)}`, tabindex: "-1" }, svg("title", {}, one.text), node(one, short(one.text, 38), one.status))),
  );
}

// Beginning at the right, so that a single neighbour stands beside and not above.
function around(at, count) {
  const angle = (2 * Math.PI * at) / count + (count > 2 ? Math.PI / 6 : 0);
  return { x: WIDE / 2 + Math.cos(angle) * 255, y: HIGH / 2 + Math.sin(angle) * 140 };
}

function edge(middle, one) {
  const [near, far] = [along(middle, one, 0.36), along(middle, one, 0.7)];
  const [from, to] = one.outward ? [near, far] : [far, near];
  const label = along(middle, one, 0.53);
  return svg(
    "g",
    { class: "edge" },
    svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, "marker-end": "url(#tip)" }),
    svg("text", { x: label.x, y: label.y - 7, "text-anchor": "middle" }, word(one.relation)),
  );
}

function along(from, to, part) {
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

function node(at, text, sort) {
  const [first, second] = halves(text);
  return svg(
    "g",
    { class: `node ${sort}` },
    svg("rect", { x: at.x - 88, y: at.y - 25, width: 176, height: 50, rx: 9 }),
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
  return el("ul", { class: "plain" }, ends.map((one) => el("li", {}, one.outward ? `${word(one.relation)} ` : `is what this ${word(one.relation)}: `, memoryLink(one.id, short(one.text, 110)))));
}
