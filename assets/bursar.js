// The filter box of the reference. Without this file every operation is listed and the browser's own search does.
"use strict";

const box = document.querySelector(".reference-filter");
if (box) {
  const input = box.querySelector("input");
  const count = box.querySelector("#filter-count");
  const groups = [...document.querySelectorAll("[data-group]")];

  const narrow = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const group of groups) {
      let some = false;
      for (const item of group.querySelectorAll("[data-search]")) {
        item.hidden = !words.every((word) => item.dataset.search.includes(word));
        if (!item.hidden) {
          some = true;
          shown += 1;
        }
      }
      group.hidden = !some;
    }
    count.textContent = words.length ? `${shown} operations` : "";
  };

  input.addEventListener("input", narrow);
  box.hidden = false;
  // A reload keeps what was typed; the list must agree with it.
  narrow();
}
