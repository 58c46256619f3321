// The search box: sections of the manual with all words, those with the words in their headings first.
const box = document.getElementById("search");
const list = document.getElementById("found");
const kMost = 20;

function score([address, title, heading, text], words) {
  // The manual before theory, models and decisions; words that stand together before words that do not.
  let sum = address.startsWith("docs/manual/") ? 6 : 0;
  if (text.toLowerCase().includes(words.join(" "))) sum += 10;
  for (const word of words) {
    const inHeading = heading.toLowerCase().indexOf(word);
    const inText = text.toLowerCase().indexOf(word);
    const inTitle = title.toLowerCase().indexOf(word);
    if (inHeading < 0 && inText < 0 && inTitle < 0) return 0;
    if (heading.toLowerCase() === word) sum += 100;
    sum += (inHeading >= 0 ? 20 : 0) + (inTitle >= 0 ? 8 : 0) + (inText >= 0 ? 1 : 0);
  }
  return sum;
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return (at > 0 ? "…" : "") + text.slice(at, at + 110) + "…";
}

function show() {
  const words = box.value.toLowerCase().split(/\s+/).filter((word) => word.length > 0);
  list.replaceChildren();
  if (words.length === 0) return;
  const found = manualIndex.map((entry) => [score(entry, words), entry]).filter(([value]) => value > 0);
  found.sort((a, b) => b[0] - a[0]);
  for (const [, [address, title, heading, text]] of found.slice(0, kMost)) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${box.dataset.root}/${address}`;
    link.textContent = heading === title ? title : `${title}: ${heading}`;
    const context = document.createElement("small");
    context.textContent = excerpt(text, words[0]);
    item.append(link, context);
    list.append(item);
  }
  if (found.length === 0) list.textContent = "nothing found";
}

box.addEventListener("input", show);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
  }
});
