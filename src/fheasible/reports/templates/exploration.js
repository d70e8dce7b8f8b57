"use strict";
{
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

{% include "screen.js" %}
  // Every other figure: what a mark stands for.
  for (const picture of all(".drawing:not(#cloud) .picture")) {
    picture.addEventListener("pointerover", (event) => {
      const mark = event.target.closest(".role-mark [aria-label]");
      if (mark) say(mark.getAttribute("aria-label"), mark.getBoundingClientRect());
      else hush();
    });
    picture.addEventListener("pointerleave", unlessTouched(hush));
  }
  const elsewhere = (then) => {
    for (const kind of ["pointerdown", "pointercancel"]) {
      addEventListener(kind, (event) => {
        const mark = event.target.closest(".role-mark [aria-label], .sets_marks path");
        if (!mark || kind === "pointercancel") then();
      });
    }
  };
  elsewhere(hush);

  const cloud = document.getElementById("cloud");
  if (cloud) {
    const table = document.getElementById("sets");
    const body = table.tBodies[0];
    const rows = [...body.rows]; // by number of the set, however they are sorted
    const heads = all("th", table);
    const columns = Object.fromEntries(heads.map((head, i) => [head.textContent, i]));
    const value = (row, column) => row.cells[column].dataset.value;
    const drawings = all("svg", cloud).map((svg) => ({
      marks: all(".sets_marks path", svg),
      ties: all(".ties_marks path", svg),
      front: svg.querySelector(".front_marks path"),
    }));
    const place = (mark) => mark.getAttribute("transform").match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
    const picture = cloud.querySelector(".picture");
    let at = null;

    const shown = () => rows.filter((row) => !row.hidden);
    const visible = (i) => drawings.map((d) => d.marks[i]).find((mark) => mark.getBoundingClientRect().width > 0);

    // The least memory for a time, of what is shown.
    const redraw = () => {
      const order = shown().map((row) => rows.indexOf(row))
        .sort((a, b) => value(rows[a], columns.time) - value(rows[b], columns.time)
          || value(rows[a], columns.memory) - value(rows[b], columns.memory));
      const kept = [];
      for (const i of order) {
        const last = kept.at(-1);
        if (last === undefined || +value(rows[i], columns.memory) < +value(rows[last], columns.memory)) kept.push(i);
      }
      for (const { marks, front } of drawings) {
        const steps = kept.map((i, k) => {
          const [x, y] = place(marks[i]);
          return k ? `H${x}V${y}` : `M${x},${y}`;
        });
        front.setAttribute("d", steps.join(""));
      }
    };

    const filter = () => {
      const chosen = (name) => new Set(all(`input[name=${name}]:checked`).map((box) => box.value));
      const libraries = chosen("library"), schemes = chosen("scheme");
      const frontOnly = document.querySelector("input[name=front]").checked;
      rows.forEach((row, i) => {
        row.hidden = !libraries.has(row.dataset.library) || !schemes.has(row.dataset.scheme)
          || (frontOnly && !row.classList.contains("front"));
        for (const { marks, ties } of drawings) {
          marks[i].classList.toggle("out", row.hidden);
          ties[i]?.classList.toggle("out", row.hidden);
        }
      });
      if (at !== null && rows[at].hidden) leave();
      redraw();
      document.getElementById("count").textContent = `${shown().length} of ${rows.length} sets are shown.`;
    };
    document.querySelector(".filters").addEventListener("change", filter);

    // All that is known of a set, beside its mark.
    const told = (row) => {
      const list = document.createElement("dl");
      heads.forEach((head, i) => {
        const text = row.cells[i].textContent;
        if (text === "-") return;
        const term = document.createElement("dt"), what = document.createElement("dd");
        term.textContent = head.textContent;
        what.textContent = text;
        list.append(term, what);
      });
      return list;
    };
    const leave = () => {
      if (at === null) return;
      for (const { marks } of drawings) marks[at].classList.remove("at");
      rows[at].classList.remove("at");
      at = null;
      hush();
    };
    const enter = (i, speak = true) => {
      leave();
      at = i;
      for (const { marks } of drawings) marks[i].classList.add("at");
      rows[i].classList.add("at");
      const mark = visible(i);
      if (speak && mark) say(told(rows[i]), mark.getBoundingClientRect());
    };

    for (const { marks } of drawings) {
      marks.forEach((mark, i) => {
        mark.addEventListener("pointerenter", () => enter(i));
        mark.addEventListener("pointerleave", unlessTouched(leave));
      });
    }
    rows.forEach((row, i) => {
      row.addEventListener("pointerenter", () => enter(i, false));
      row.addEventListener("pointerleave", unlessTouched(leave));
    });

    // Arrow keys go from set to set, by time; Enter leads to the row.
    picture.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const order = shown().map((row) => rows.indexOf(row))
        .sort((a, b) => value(rows[a], columns.time) - value(rows[b], columns.time));
      if (step && order.length) {
        const next = at === null ? (step > 0 ? 0 : order.length - 1) : order.indexOf(at) + step;
        enter(order[Math.min(Math.max(next, 0), order.length - 1)]);
      } else if (event.key === "Enter" && at !== null) {
        rows[at].scrollIntoView({ block: "center" });
        hush();
      } else if (event.key === "Escape") leave();
      else return;
      event.preventDefault();
    });
    picture.addEventListener("blur", leave);
    elsewhere(leave);

    // Sorting: numbers by size, words by the alphabet; once more the other way.
    heads.forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const words = head.classList.contains("left");
        const sorted = [...rows].sort((a, b) => {
          const [x, y] = [value(a, column), value(b, column)];
          return words && Number.isNaN(+x) ? x.localeCompare(y) : x - y;
        });
        body.append(...(down ? sorted.reverse() : sorted));
      });
    });
    filter();
  }
}
