// A small form in front of the page: asks for what an action needs, and answers with the values, or null when it was left.

import { el } from "/web/dom.js";

export function sheet(title, fields, doing, about = null) {
  return new Promise((settle) => {
    const inputs = fields.map(input);
    const dialog = el("dialog", { class: "sheet", "aria-label": title });
    const leave = (values) => {
      dialog.close();
      dialog.remove();
      settle(values);
    };
    const form = el(
      "form",
      { on: { submit: (event) => (event.preventDefault(), leave(Object.fromEntries(inputs.map(([name, , value]) => [name, value()])))) } },
      el("h2", {}, title),
      about,
      inputs.map(([, shown]) => shown),
      el(
        "p",
        { class: "actions" },
        el("button", { type: "submit", class: "first" }, doing),
        el("button", { type: "button", on: { click: () => leave(null) } }, "Cancel"),
      ),
    );
    dialog.append(form);
    dialog.addEventListener("cancel", (event) => (event.preventDefault(), leave(null)));
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("textarea, input, select, button")?.focus();
  });
}

function input(field) {
  if (field.choices) return choices(field);
  const id = `field-${field.name}`;
  const made = field.long
    ? el("textarea", { id, rows: "4", required: field.required, value: field.value || "" })
    : el("input", { id, type: field.type || "text", required: field.required, value: field.value || "", autocomplete: "off" });
  const hint = field.required ? "" : " (may be left out)";
  return [field.name, el("div", { class: "field" }, el("label", { for: id }, field.label, el("small", {}, hint)), made), () => made.value.trim()];
}

function choices(field) {
  const radios = field.choices.map(([value, shown], at) => [
    value,
    el("label", { class: "choice" }, el("input", { type: "radio", name: field.name, value, checked: at === 0 }), shown),
  ]);
  const made = el("fieldset", { class: "field" }, el("legend", {}, field.label), radios.map(([, label]) => label));
  return [field.name, made, () => made.querySelector("input:checked")?.value || ""];
}
