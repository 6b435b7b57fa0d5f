// Asking the daemon. Every datum on the page comes through `ask`, with the token that this tab was given.

const TOKEN = "commonplace-token";
const BOOKS = "commonplace-books";
const BOOK = "commonplace-book";

export class Problem extends Error {
  constructor(status, said) {
    super(said.detail || `the daemon answered ${status}`);
    this.status = status;
    this.kind = said.kind || "";
    this.where = said.where || "";
    this.hint = said.hint || "";
  }
}

export async function ask(operation, fields = {}, of = book()) {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== ""));
  let answer;
  try {
    answer = await fetch(`/v1/${operation}?book=${encodeURIComponent(of)}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token()}` },
      body: JSON.stringify(given),
      credentials: "omit",
      redirect: "error",
    });
  } catch {
    throw new Problem(0, { detail: "The daemon does not answer", hint: "Is `commonplace serve` running?", kind: "unavailable" });
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Problem(answer.status, said);
  return said;
}

export function token() {
  return sessionStorage.getItem(TOKEN) || "";
}

export function keepToken(given) {
  sessionStorage.setItem(TOKEN, given.trim());
}

export function forgetToken() {
  sessionStorage.removeItem(TOKEN);
}

export function books() {
  return (sessionStorage.getItem(BOOKS) || "default").split(",");
}

export function book() {
  return sessionStorage.getItem(BOOK) || books()[0];
}

export function chooseBook(name) {
  sessionStorage.setItem(BOOK, name);
}

// `commonplace web` puts the token behind the #, which no browser sends anywhere. It leaves the address bar at once.
export function takeFromAddress() {
  if (!location.hash.startsWith("#token=")) return;
  const given = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, "", `${location.pathname}#/search`);
  keepToken(given.get("token") || "");
  if (given.get("books")) sessionStorage.setItem(BOOKS, given.get("books"));
  sessionStorage.removeItem(BOOK);
}

// Memories that other things name only by their id.
const seen = new Map();

export function record(id) {
  if (!seen.has(id)) seen.set(id, ask("get", { id }).catch(() => null));
  return seen.get(id);
}

export function forgetSeen() {
  seen.clear();
}
