// Moments, numbers and differences, in words a person reads.

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });
const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const NUMBER = new Intl.NumberFormat();

export const moment = (iso) => (iso ? MOMENT.format(new Date(iso)) : "");
export const day = (iso) => DAY.format(new Date(iso));
export const clock = (iso) => CLOCK.format(new Date(iso));
export const month = (iso) => MONTH.format(new Date(iso));
export const date = (iso) => DATE.format(new Date(iso));
export const number = (value) => NUMBER.format(value);
export const word = (name) => String(name).replaceAll("_", " ");
export const short = (text, most = 90) => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text);

export function many(count, one, more = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : more}`;
}

export function size(bytes) {
  const steps = ["bytes", "kB", "MB", "GB"];
  const step = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** step).toFixed(step ? 1 : 0)} ${steps[step]}`;
}

const MOST_WORDS = 400;

// How many of all their words two texts share, from 0 to 1.
export function alike(one, other) {
  const [left, right] = [one, other].map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || []));
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared / Math.max(1, left.size + right.size - shared);
}

// Pieces of both texts, in order: {text, sort: "same" | "gone" | "new"}. What is long, or has little in common, is shown whole,
// one after the other: word by word it would be a riddle.
export function difference(before, after) {
  const [old, now] = [before.split(/(\s+)/), after.split(/(\s+)/)];
  if (old.length > MOST_WORDS || now.length > MOST_WORDS || (before && after && alike(before, after) < 0.25)) return [{ text: before, sort: "gone" }, { text: " ", sort: "same" }, { text: after, sort: "new" }];
  return joined(walk(old, now, lengths(old, now)));
}

function lengths(old, now) {
  const table = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      table[i][j] = old[i] === now[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  return table;
}

function walk(old, now, table) {
  const pieces = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) pieces.push({ text: old[i++], sort: "same" }), j++;
    else if (j >= now.length || (i < old.length && table[i + 1][j] >= table[i][j + 1])) pieces.push({ text: old[i++], sort: "gone" });
    else pieces.push({ text: now[j++], sort: "new" });
  }
  return pieces;
}

function joined(pieces) {
  const result = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (last && last.sort === piece.sort) last.text += piece.text;
    else result.push({ ...piece });
  }
  return result;
}
