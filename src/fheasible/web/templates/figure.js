  // The figure: sets by time and memory, drawn from the numbers of an answer.
  const given = JSON.parse(document.getElementById("given").textContent);
  const byId = (id) => document.getElementById(id);
  const element = (name, content = [], attributes = {}) => {
    const made = document.createElement(name);
    made.append(...[content].flat());
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const shape = (name, attributes, content = []) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...[content].flat());
    return made;
  };

  const paths = {
    circle: (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`,
    square: (r) => `M${-r},${-r}H${r}V${r}H${-r}Z`,
    "triangle-up": (r) => `M0,${-r}L${r},${r}H${-r}Z`,
    diamond: (r) => `M0,${-r * 1.3}L${r * 1.3},0L0,${r * 1.3}L${-r * 1.3},0Z`,
    cross: (r) => `M${-r},${-r / 3}H${-r / 3}V${-r}H${r / 3}V${-r / 3}H${r}V${r / 3}H${r / 3}V${r}H${-r / 3}V${r / 3}H${-r}Z`,
    "triangle-down": (r) => `M0,${r}L${r},${-r}H${-r}Z`,
    "triangle-right": (r) => `M${r},0L${-r},${r}V${-r}Z`,
    "triangle-left": (r) => `M${-r},0L${r},${r}V${-r}Z`,
  };
  const mark = ([, colour, form], r) => ({ d: paths[form](r), fill: colour });

  const picture = byId("picture");
  let marks = [], order = [], at = null, shown = null;

  const leave = () => {
    if (at !== null) marks[at]?.classList.remove("at");
    at = null;
    hush();
  };
  const enter = (i) => {
    leave();
    at = i;
    marks[i].classList.add("at");
    say(shown.dots[i][6], marks[i].getBoundingClientRect());
  };

  const legend = (cloud) => {
    const parts = cloud.kinds.map((kind) => element("span", [
      shape("svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" }, shape("path", mark(kind, 5))), kind[0]]));
    if (cloud.shade !== null) {
      const { low, high, label } = cloud.shade;
      const { palest, other } = given.drawing;
      const stops = [palest, 1].map((dark, i) =>
        shape("stop", { offset: i, "stop-color": other, "stop-opacity": dark }));
      parts.push(element("span", [`${label}: ${low}`,
        shape("svg", { class: "ramp", viewBox: "0 0 120 12", "aria-hidden": "true" }, [
          shape("linearGradient", { id: "ramp" }, stops),
          shape("rect", { width: 120, height: 12, fill: "url(#ramp)" })]), `${high}`]));
    }
    parts.push(element("span", [shape("svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" },
      shape("circle", { r: 6, class: "ring" })), "recommended"]));
    byId("legends").replaceChildren(...parts);
  };

  const draw = (cloud) => {
    shown = cloud;
    leave();
    byId("front").hidden = cloud === null;
    if (cloud === null) { picture.replaceChildren(); marks = []; return; }
    byId("figure").textContent = cloud.title;
    byId("note").textContent = cloud.note;
    legend(cloud);
    const wide = Math.max(picture.clientWidth, 260), narrow = wide < 500, high = narrow ? 330 : 400;
    const letters = Math.max(...cloud.y.labels.map((label) => label.length));
    const room = { left: 34 + 8 * letters, right: 14, top: 10, bottom: 48 };
    const across = wide - room.left - room.right, down = high - room.top - room.bottom;
    const part = (value, axis) => Math.log(value / axis.low) / Math.log(axis.high / axis.low);
    const x = (value) => room.left + part(value, cloud.x) * across;
    const y = (value) => room.top + (1 - part(value, cloud.y)) * down;
    const rounded = (value) => Math.round(value * 100) / 100;
    const svg = shape("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, "aria-hidden": "true" });
    const every = narrow && cloud.x.ticks.length > 5 ? 2 : 1;
    cloud.x.ticks.forEach((tick, i) => {
      const to = rounded(x(tick));
      svg.append(shape("path", { class: "grid", d: `M${to},${room.top}V${room.top + down}` }));
      if (i % every === 0) {
        const anchor = i === cloud.x.ticks.length - 1 && to > wide - 24 ? "end" : "middle";
        svg.append(shape("text", { x: to, y: room.top + down + 18, "text-anchor": anchor }, cloud.x.labels[i]));
      }
    });
    cloud.y.ticks.forEach((tick, i) => {
      const to = rounded(y(tick));
      svg.append(
        shape("path", { class: "grid", d: `M${room.left},${to}H${room.left + across}` }),
        shape("text", { x: room.left - 8, y: to + 4.5, "text-anchor": "end" }, cloud.y.labels[i]));
    });
    const middle = room.top + down / 2;
    svg.append(
      shape("path", { class: "edge", d: `M${room.left},${room.top}V${room.top + down}H${room.left + across}` }),
      shape("text", { x: room.left + across / 2, y: high - 8, "text-anchor": "middle" },
        narrow ? cloud.x.label.replace(" to encrypt, evaluate and decrypt", "") : cloud.x.label),
      shape("text", { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, cloud.y.label),
      shape("path", { class: "steps", "stroke-dasharray": given.drawing.dashes.join(" "),
        d: cloud.steps.map(([a, b], i) => i ? `H${rounded(x(a))}V${rounded(y(b))}` : `M${rounded(x(a))},${rounded(y(b))}`).join("") }));
    marks = cloud.dots.map(([a, b, kind, dark, edge, tie, label], i) => {
      const place = `translate(${rounded(x(a))} ${rounded(y(b))})`;
      if (tie) svg.append(shape("circle", { class: "tie", r: 8, transform: place }));
      const drawn = shape("path", { class: `set${edge ? " on-front" : ""}`, ...mark(cloud.kinds[kind], 4.6),
        "fill-opacity": dark, transform: place, "aria-label": label });
      drawn.addEventListener("pointerenter", () => enter(i));
      drawn.addEventListener("pointerleave", unlessTouched(leave));
      return drawn;
    });
    svg.append(...marks);
    if (cloud.chosen !== null) {
      const [a, b] = cloud.dots[cloud.chosen];
      svg.append(shape("circle", { class: "ring", r: 11, cx: rounded(x(a)), cy: rounded(y(b)) }));
    }
    picture.replaceChildren(svg);
    order = cloud.dots.map((_, i) => i).sort((i, k) => cloud.dots[i][0] - cloud.dots[k][0]);
    const many = cloud.dots.length;
    byId("sets-summary").textContent = many === 1 ? "The set in words" : `The ${many} sets in words`;
    byId("sets").replaceChildren(...cloud.dots.map((dot) => element("li", dot[6])));
  };

  // Arrow keys go from set to set, by time.
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step && order.length) {
      const next = at === null ? (step > 0 ? 0 : order.length - 1) : order.indexOf(at) + step;
      enter(order[Math.min(Math.max(next, 0), order.length - 1)]);
    } else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
  });
  picture.addEventListener("blur", leave);
  addEventListener("pointerdown", (event) => { if (!event.target.closest?.(".set")) leave(); });
  let drawnWidth = 0;
  new ResizeObserver(() => {
    if (shown !== null && picture.clientWidth !== drawnWidth) { drawnWidth = picture.clientWidth; draw(shown); }
  }).observe(picture);

