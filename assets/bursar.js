// The scripts of the pages for developers. They filter the reference, the inbox and the requests, copy code, and reload a page while
// work is under way. Every page works without them.
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

for (const code of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button-quiet copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent.trim());
      button.textContent = "Copied";
    } catch {
      // The browser forbids it: the text is selected instead, ready for the keyboard.
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  code.after(button);
}

// The messages of the inbox, narrowed while the recipient is typed; the requests, while a part of them is typed.
const narrowed = document.querySelector("[data-narrowed-by]");
const narrowing = narrowed && document.getElementById(narrowed.dataset.narrowedBy);
const none = document.querySelector("[data-narrowed-none]");
narrowing?.addEventListener("input", () => {
  const plain = (text) => text.toLowerCase().replace(/[\s()-]/g, "");
  for (const item of narrowed.children) {
    const { textContent } = item.querySelector(".message-to") ?? item;
    item.hidden = !plain(textContent).includes(plain(narrowing.value));
  }
  none.hidden = [...narrowed.children].some((item) => !item.hidden);
  none.textContent = none.hidden ? "" : `${none.dataset.narrowedNone} ${narrowing.value.trim()}.`;
});

const waiting = document.querySelector("[data-refresh]");
if (waiting) {
  // A page in the background waits until it is shown; a page in which something is typed or selected waits until it is
  // left.
  const again = () => {
    const isBusy = document.activeElement?.matches("input") || String(getSelection()) !== "";
    if (!document.hidden && !isBusy) location.reload();
  };
  setInterval(again, Number(waiting.dataset.refresh) * 1000);
}
