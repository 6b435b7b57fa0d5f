// Making elements. Text goes in as text and as nothing else: there is no way here to hand in markup, nor what hides in text.

const SVG = "http://www.w3.org/2000/svg";

export function el(tag, props = {}, ...children) {
  return filled(document.createElement(tag), props, children);
}

export function svg(tag, props = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "href") element.setAttribute("href", own(value));
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") element[name] = value;
    else if (name.startsWith("--")) element.style.setProperty(name, String(value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...nodes(children));
  return element;
}

// What would turn the words around it about, or hide among them, is written out, as the command line does: \u{202e}.
// Joiners and direction marks that scripts and emoji need stay, and the tags that make a flag; others spell what nobody sees.
const UNSEEN = /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e01ef}]/gu;

export function visible(text) {
  return String(text).replace(UNSEEN, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);
}

function nodes(children) {
  const there = (child) => child !== null && child !== undefined && child !== false;
  return children.flat(Infinity).filter(there).map((child) => (child instanceof Node ? child : visible(child)));
}

// A link leads to a view of this page; whatever a stored text may hold, it cannot become an address.
function own(href) {
  if (!String(href).startsWith("#")) throw new Error("links lead to views of this page");
  return href;
}

export function replace(place, ...children) {
  place.replaceChildren(...nodes(children));
}

export function said(text, action = null) {
  const place = document.getElementById("said");
  replace(place, text ? el("span", {}, text) : null, text && action);
  place.classList.toggle("shown", Boolean(text));
  clearTimeout(said.timer);
  if (text) said.timer = setTimeout(() => said(""), action ? 12000 : 5000);
}

// For those who hear the page; those who see it see it already.
export function whisper(text) {
  document.getElementById("whispered").textContent = text;
}

export function button(label, act, props = {}) {
  const made = el("button", { type: "button", ...props, on: { click: () => busy(made, act) } }, label);
  return made;
}

// While it is at work it cannot be pressed again; what goes wrong is told where everything is told.
async function busy(pressed, act) {
  pressed.disabled = true;
  try {
    await act();
  } catch (error) {
    said(told(error));
  } finally {
    pressed.disabled = false;
  }
}

export function told(error) {
  return error.hint ? `${error.message}. ${error.hint}` : error.message;
}
