  // Words, in which no line breaks within an option's name.
  const worded = (words) => words.split(/(--[a-z][a-z-]*)/).map((part, i) => i % 2 ? element("span", part, { class: "whole" }) : part);

  // What an answer says, and which controls an application has.
  const because = (reasons, fits) => {
    const words = reasons ?? ["The reasons are being worked out."];
    byId("why").replaceChildren(...(fits ? words : ["Nothing fits; the reasons are below."]).map((line) => element("li", worded(line))));
  };

  // What is shown is for something else than is asked now.
  const dim = (so) => {
    for (const id of ["told", "facts", "picture", "why", "against"]) byId(id).classList.toggle("near", so);
  };

  let last = ""; // what is shown, so that the same is neither announced nor drawn again
  const show = (answer, near) => {
    const told = byId("told");
    dim(near);
    if (answer.error) { mistaken(answer.error); return; }
    because(answer.why, answer.fits);
    const { why, ...rest } = answer, now = JSON.stringify(rest);
    if (now === last) return;
    last = now;
    if (answer.fits) {
      told.replaceChildren(element("dl", answer.lines.map(([head, words]) => element("div", [
        element("dt", head), element("dd", head === "next:" ? element("code", words) : words)])), { class: "lines" }));
    } else {
      told.replaceChildren(element("p", "No parameter set of any library fits what is asked.", { class: "caution" }),
        ...answer.remedies.map((line) => element("p", worded(`Remedy: ${line}`))));
    }
    byId("facts").textContent = answer.headline.join("\n");
    byId("warnings").replaceChildren(...answer.warnings.map((line) => element("p", worded(line), { class: "caution" })));
    byId("against").replaceChildren(...answer.against.map(([head, words]) =>
      element("div", [element("dt", head), element("dd", worded(words))])));
    byId("against-section").hidden = answer.against.length === 0;
    draw(answer.cloud);
  };

  const source = byId("source"), data = byId("data"), mistake = byId("mistake"), state = byId("state");

  // An error, with the line of the code that it is about, which is selected, or about the data.
  const mistaken = (error) => {
    const where = error.line ? `Line ${error.line}: ` : "";
    mistake.replaceChildren(element("strong", `${where}${error.message}`),
      ...(error.remedy ? [element("br"), `Remedy: ${error.remedy}`] : []));
    mistake.hidden = false;
    state.textContent = last ? "The answer below is an earlier one." : "";
    dim(true);
    (error.data && data?.value ? data : source).setAttribute("aria-invalid", "true");
    if (!error.line) return;
    const lines = source.value.split("\n"), before = lines.slice(0, error.line - 1);
    const start = before.reduce((sum, line) => sum + line.length + 1, 0);
    source.setSelectionRange(start, start + (lines[error.line - 1]?.length ?? 0));
    source.scrollTop = (error.line - 4) * source.scrollHeight / lines.length;
  };
  const forgiven = () => {
    mistake.hidden = true;
    source.removeAttribute("aria-invalid");
    data?.removeAttribute("aria-invalid");
  };

  const stops = {}; // by the names of controls: kept when the application changes
  let names = "";
  const asked = (sliders) => Object.fromEntries(sliders.map(({ name }) => [name, stops[name]]));
  const slide = (sliders, moved) => {
    const wanted = sliders.map(({ name, labels }) => `${name} ${labels.length}`).join();
    if (wanted === names) return;
    names = wanted;
    byId("sliders").replaceChildren(...sliders.map((slider) => {
      const { name, title, help, labels, usual, listed } = slider, described = { id: name, "aria-describedby": `${name}-help` };
      stops[name] ??= usual;
      const output = listed ? null : element("output", [], { for: name });
      const control = listed
        ? element("select", labels.map((label, stop) => element("option", label, { value: stop })), described)
        : element("input", [], { ...described, type: "range", min: 0, max: labels.length - 1, step: 1 });
      const tell = () => {
        if (listed) return;
        output.textContent = labels[stops[name]];
        control.setAttribute("aria-valuetext", labels[stops[name]]);
      };
      control.value = stops[name];
      control.addEventListener("input", () => { stops[name] = Number(control.value); tell(); moved(); });
      tell();
      return element("div", [
        element("div", [element("label", title, { for: name }), ...(output ? [output] : [])], { class: "named" }),
        control, element("small", help, { id: `${name}-help` })], { class: "slider" });
    }));
  };

  const choices = byId("example");
  choices.append(...given.examples.map(({ called, title }, i) =>
    element("option", `${called.match(/\d+/)[0]}. ${title}`, { value: i, title })));
  if (!given.static) choices.append(element("option", "Your own", { value: "own" }));

