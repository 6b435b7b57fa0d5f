// Going from view to view: the address says which one, so that back, forward and bookmarks work.

export function go(address) {
  if (location.hash === address) again();
  else location.hash = address;
}

// Show the same view anew: something in the book has changed.
export function again() {
  document.dispatchEvent(new Event("again"));
}

export function where() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  return { name: name || "search", arg: safely(rest.join("/")), query: new URLSearchParams(query) };
}

function safely(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
