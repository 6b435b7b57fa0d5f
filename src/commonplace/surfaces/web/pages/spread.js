// Where the dots of a picture go. What hangs together gets a patch of its own, the largest first; inside it linked ones pull each
// other near and all push each other away, until they rest. It begins the same way each time: one book, one picture.

const [ROUNDS, GOLDEN, ROOM] = [220, Math.PI * (3 - Math.sqrt(5)), 46];

// Places by id, and how high the picture became at this width.
export function arranged(ids, links, wide) {
  const patches = together(ids, links).map((members) => patch(members, links, wide));
  const places = new Map();
  let [left, top, high] = [0, 0, 0];
  for (const one of patches) {
    if (left + one.wide > wide) [left, top, high] = [0, top + high, 0];
    for (const dot of one.dots) places.set(dot.id, { x: left + dot.x, y: top + dot.y });
    left += one.wide;
    high = Math.max(high, one.high);
  }
  return { places, high: top + high };
}

function together(ids, links) {
  const groups = new Map(ids.map((id) => [id, [id]]));
  for (const { from_id, to_id } of links) {
    const [one, other] = [groups.get(from_id), groups.get(to_id)];
    if (one === other) continue;
    one.push(...other);
    for (const id of other) groups.set(id, one);
  }
  return [...new Set(groups.values())].sort((a, b) => b.length - a.length);
}

function patch(members, links, widest) {
  const there = new Set(members);
  const dots = members.map((id, at) => ({ id, x: Math.sqrt(at + 0.5) * Math.cos(at * GOLDEN), y: Math.sqrt(at + 0.5) * Math.sin(at * GOLDEN), dx: 0, dy: 0 }));
  const byId = new Map(dots.map((dot) => [dot.id, dot]));
  const ties = links.filter((one) => there.has(one.from_id)).map((one) => [byId.get(one.from_id), byId.get(one.to_id)]);
  for (let round = 0; round < ROUNDS; round++) settle(dots, ties, 0.8 * (1 - round / ROUNDS) + 0.02);
  const side = 110 * Math.sqrt(members.length);
  return fitted(dots, Math.min(widest, Math.max(200, 1.6 * side)), Math.max(110, side));
}

function settle(dots, ties, heat) {
  for (const dot of dots) [dot.dx, dot.dy] = [-0.02 * dot.x, -0.02 * dot.y];
  dots.forEach((one, at) => dots.slice(at + 1).forEach((other) => push(one, other, (distance) => 1.4 / distance)));
  for (const [one, other] of ties) push(one, other, (distance) => -0.3 * distance * distance);
  for (const dot of dots) {
    const length = Math.hypot(dot.dx, dot.dy) || 1;
    dot.x += (dot.dx / length) * Math.min(length, heat);
    dot.y += (dot.dy / length) * Math.min(length, heat);
  }
}

function push(one, other, force) {
  const [x, y] = [one.x - other.x, one.y - other.y];
  const distance = Math.max(0.05, Math.hypot(x, y));
  const [dx, dy] = [(x / distance) * force(distance), (y / distance) * force(distance)];
  one.dx += dx;
  one.dy += dy;
  other.dx -= dx;
  other.dy -= dy;
}

function fitted(dots, wide, high) {
  const stretched = (name, room) => {
    const [least, most] = [Math.min(...dots.map((dot) => dot[name])), Math.max(...dots.map((dot) => dot[name]))];
    for (const dot of dots) dot[name] = most > least ? ROOM + ((dot[name] - least) / (most - least)) * (room - 2 * ROOM) : room / 2;
  };
  stretched("x", wide);
  stretched("y", high);
  return { dots, wide, high };
}
