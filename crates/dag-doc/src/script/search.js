"use strict";
(function () {
  const script = document.currentScript;
  const up = script.dataset.up;
  const place = document.getElementById("search");
  const rows = window.haywardIndex || [];
  const label = document.createElement("label");
  const field = document.createElement("input");
  const said = document.createElement("p");
  const list = document.createElement("ul");
  label.textContent = "Search ";
  field.type = "search";
  said.setAttribute("role", "status");
  label.append(field);
  place.append(label, said, list);

  // Every word must occur; what matches in the name's end comes first.
  function found(words) {
    const all = [];
    for (const row of rows) {
      const name = row[1].toLowerCase();
      const text = name + " " + row[3].toLowerCase();
      if (words.every((word) => text.includes(word))) {
        const last = name.slice(name.lastIndexOf(".") + 1);
        const rank = last === words[0] ? 0 : last.startsWith(words[0]) ? 1 : name.includes(words[0]) ? 2 : 3;
        all.push([rank, row]);
      }
    }
    all.sort((a, b) => a[0] - b[0] || (a[1][1] < b[1][1] ? -1 : 1));
    return all.map((pair) => pair[1]);
  }

  field.addEventListener("input", function () {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    said.textContent = "";
    if (words.length === 0) {
      return;
    }
    const all = found(words);
    said.textContent = all.length === 1 ? "1 found" : all.length + " found";
    for (const row of all.slice(0, 30)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = up + row[2];
      link.textContent = row[1];
      item.append(row[0] + " ", link);
      if (row[3]) {
        item.append(" – " + row[3]);
      }
      list.append(item);
    }
  });
})();
