// The documentation page: examples with one of the server's pictures, and the table of effects.

import { api, base, copyFrom, encode, isJPEG, make } from "./common.js";

const find = (selector) => document.querySelector(selector);

// The pictures used in examples: a photograph, if there is one, and a JPNG.
async function samples() {
  const nothing = { pictures: [], folders: [] };
  const list = (values) => api(`${base}/api/pictures?${new URLSearchParams(values)}`).catch(() => nothing);
  const [top, found] = await Promise.all([list({ limit: 60 }), list({ search: ".jpng", limit: 1 })]);
  let { pictures } = top;
  for (const folder of top.folders) {
    if (pictures.some(isJPEG)) break;
    pictures = [...pictures, ...(await list({ folder: folder.path, limit: 20 })).pictures];
  }
  return { photograph: await readable([...pictures.filter(isJPEG), ...pictures]), jpng: found.pictures[0] };
}

// The first undamaged picture among the first few.
async function readable(pictures) {
  for (const picture of pictures.slice(0, 8)) {
    if (await api(`${base}/api/picture/${encode(picture.id)}`).catch(() => null)) return picture;
  }
  return undefined;
}

// Addresses may wrap only between their parts.
function breakBetweenParts() {
  for (const code of document.querySelectorAll("main code")) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      const parts = text.data.split(/(?<=[/,])|(?=[?&#])/);
      text.replaceWith(...parts.flatMap((part) => [part, document.createElement("wbr")]).slice(0, -1));
    }
  }
}

function showExamples({ photograph, jpng }) {
  for (const cell of document.querySelectorAll("[data-example]")) {
    const isOfJPNG = cell.dataset.example.includes("/JPNG");
    const picture = isOfJPNG ? jpng : photograph;
    if (!picture && /\/(ID|JPNG)\b/.test(cell.dataset.example)) continue;
    const path = cell.dataset.example.replace(/\/(ID|JPNG)(?=[/?.]|$)/, picture ? `/${encode(picture.id)}` : "");
    const shown = cell.dataset.example.replace(/^\/[^?]*?\/(ID|JPNG)(?=[/?]|$)/, "…") || path;
    const text = shown === "…" ? cell.dataset.example.replace("/JPNG", "/ID") : shown;
    cell.replaceChildren(make("a", { href: path }, make("code", {}, text)));
  }
  if (!photograph) return;
  const sample = find("#sample");
  sample.href = `${base}/view/${encode(photograph.id)}`;
  sample.textContent = photograph.id;
  find("#sample-note").hidden = false;
}

function row(item, picture) {
  const written = item.usage ? `${item.name}=` : item.name;
  const usage = item.usage || "";
  const first = make(
    "td",
    {},
    make("span", { class: "title" }, item.title),
    make("code", {}, written, ...(usage ? [make("var", {}, usage)] : [])),
  );
  const example = make("code", {}, item.example);
  // Effects that need a second picture have no example that works everywhere.
  const isComplete = !item.parameters.some((parameter) => parameter.kind === "identifier");
  const hasSize = /^(w|h|fit|fill|cover|scale|size|smart-crop|crop|extend)=/.test(item.example);
  const isMode = /^fit=\D/.test(item.example);
  const query = isMode ? `w=300&h=300&${item.example}` : hasSize ? item.example : `w=600&${item.example}`;
  const last = picture && isComplete ? make("a", { href: `${base}/image/${encode(picture.id)}?${query}` }, example) : example;
  return make("tr", {}, first, make("td", {}, item.description), make("td", {}, last));
}

function showCode({ photograph, jpng }) {
  const origin = location.origin + base;
  const id = photograph ? encode(photograph.id) : "ID";
  find("#embed-code").textContent = [
    `<script type="module" src="${origin}/assets/tessera-image.js"></script>`,
    "",
    `<tessera-image src="${origin}/iiif/3/${id}/info.json"`,
    '               alt="What is to be seen"></tessera-image>',
  ].join("\n");
  find("#jpng-code").textContent = [
    `<script src="${origin}/assets/jpng.js"></script>`,
    "",
    `<img src="${jpng ? `${origin}/original/${encode(jpng.id)}` : "cutout.jpng"}" alt="What is to be seen">`,
  ].join("\n");
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copyFrom(button, document.getElementById(button.dataset.copy).textContent));
}

// Highlights the current section.
const links = [...document.querySelectorAll(".contents a")];
const sections = links.map((link) => find(link.hash));
const seen = new IntersectionObserver(
  () => {
    const line = innerHeight * 0.3;
    const current = sections.findLastIndex((section) => section.getBoundingClientRect().top < line);
    for (const link of links) link.removeAttribute("aria-current");
    links[Math.max(0, current)].setAttribute("aria-current", "true");
  },
  { rootMargin: "-29% 0px -70% 0px" },
);
for (const section of sections) seen.observe(section);

const found = await samples();
showExamples(found);
showCode(found);
try {
  const table = await api(`${base}/api/effects`);
  find("#settings-rows").replaceChildren(...(table.settings ?? []).map((item) => row(item, found.photograph)));
  find("#effects-rows").replaceChildren(...table.effects.map((item) => row(item, found.photograph)));
} catch (error) {
  find("#effects-message").textContent = error.message;
}
breakBetweenParts();
// Examples load when they are about to scroll into view.
new IntersectionObserver((entries, observer) => {
  if (!found.photograph || !entries.some((entry) => entry.isIntersecting)) return;
  observer.disconnect();
  const demo = find("#demo");
  demo.alt = found.photograph.name;
  demo.src = `${base}/iiif/3/${encode(found.photograph.id)}/info.json`;
}, { rootMargin: "400px" }).observe(find("#demo"));
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
