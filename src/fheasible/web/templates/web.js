  // Static files: a table of answers that were made beforehand.
  const fromTable = async () => {
    const packed = Uint8Array.from(atob(given.table), (letter) => letter.charCodeAt(0));
    const text = new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
    const table = await text.json();
    const answer = () => {
      const { sliders, answers } = table[given.examples[choices.value].called];
      slide(sliders, answer);
      const known = answers[sliders.map(({ name }) => stops[name]).join()];
      state.textContent = "";
      show(known, false);
    };
    const choose = () => {
      source.value = given.examples[choices.value].source;
      answer();
    };
    choices.addEventListener("change", choose);
    choices.value = 0;
    choose();
  };

  // The local server.
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const ask = async (path, body, signal) => {
    const headers = { "x-fheasible-token": token, "content-type": "application/json" };
    const how = body === null ? { headers, signal } : { method: "POST", headers, body: JSON.stringify(body), signal };
    try {
      return await (await fetch(path, how)).json();
    } catch (error) {
      if (error.name === "AbortError") return null;
      return { state: "error", error: { message: "the server does not answer", remedy: "start fheasible web again, and open the address that it prints", line: null } };
    }
  };

  let current = null, sliders = given.sliders ?? [];

  const subject = () => ({ source: source.value, data: data.value });

  // A run is offered for an answer that fits, while no other run is going on.
  const verify = byId("verify");
  let running = null, fits = false;
  const offer = () => { verify.disabled = running !== null || !fits; };

  // Asks until the whole answer is there, or something else is asked. What is known of the nearest stops is
  // shown meanwhile.
  const answer = async (fresh) => {
    current?.abort();
    const own = new AbortController();
    current = own;
    forgiven();
    fits = false;
    offer();
    if (fresh) dim(true);
    let wait = 0.2, whole = false, again = fresh, begun = performance.now();
    for (;;) {
      const body = { ...subject(), settings: asked(sliders), wait, whole, fresh: again };
      const found = await ask("api/answer", body, own.signal);
      if (found === null || own !== current) return;
      again = false;
      if (found.state === "error") { mistaken(found.error); return; }
      if (found.state === "answer") {
        sliders = found.sliders;
        slide(sliders, () => answer(false));
        const { exact } = found, preview = found.answer?.preview === true && JSON.stringify(found.of) === JSON.stringify(found.settings);
        if (found.answer !== null) show(found.answer, !exact && !preview);
        state.textContent = exact ? "" : preview
          ? "Searching. The answer below is a preview. It has only sets that a search with more memory has found."
          : "Searching. The answer below is for the nearest settings that have one.";
        if (exact) {
          fits = found.answer.fits === true;
          offer();
        }
        if (found.whole) return;
        if (exact) whole = true;
      }
      if (found.state === "reading" || found.answer === null) {
        const seconds = Math.round((performance.now() - begun) / 1000);
        state.textContent = seconds ? `Searching, for ${seconds} s so far.` : "Searching.";
        wait = 1;
      } else wait = 5;
    }
  };

  const run = async () => {
    const stop = byId("stop"), doing = byId("doing"), bar = byId("progress");
    byId("run").hidden = false;
    byId("result").hidden = true;
    byId("messages").replaceChildren();
    doing.textContent = "starting";
    bar.removeAttribute("value");
    const begun = await ask("api/verify", { ...subject(), settings: asked(sliders) });
    if (begun.state === "error") { doing.textContent = `${begun.error.message}. ${begun.error.remedy}`; return; }
    running = begun.number;
    offer();
    stop.disabled = false;
    let seen = 0;
    for (;;) {
      const found = await ask(`api/verify/${running}?seen=${seen}&wait=1`, null);
      if (found.version === undefined) { doing.textContent = found.error.message; break; }
      seen = found.version;
      const { label, done, total } = found.progress, seconds = Math.round(found.seconds);
      if (total > 0) bar.value = done / total;
      else bar.removeAttribute("value");
      byId("messages").replaceChildren(...found.said.map((line) => element("li", line)));
      doing.textContent = `${label} (${seconds} s)`;
      if (found.state === "running") continue;
      bar.value = found.state === "done" ? 1 : 0;
      ended(found, seconds);
      break;
    }
    running = null;
    offer();
    stop.disabled = true;
  };
  const ended = (found, seconds) => {
    const words = { done: `Done in ${seconds} s.`, stopped: `Stopped after ${seconds} s.` };
    byId("doing").textContent = words[found.state] ?? `${found.error.message}${found.error.remedy ? `. Remedy: ${found.error.remedy}` : ""}`;
    const result = byId("result");
    result.hidden = found.ran === undefined;
    result.textContent = (found.ran ?? []).join("\n");
  };

  const serve = () => {
    slide(sliders, () => answer(false));
    byId("explore").addEventListener("click", () => answer(true));
    source.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); answer(true); }
    });
    source.addEventListener("input", () => { choices.value = "own"; forgiven(); });
    choices.addEventListener("change", () => {
      if (choices.value === "own") { source.focus(); return; }
      source.value = given.examples[choices.value].source;
      data.value = "";
      answer(true);
    });
    data.addEventListener("change", () => answer(true));
    verify.addEventListener("click", run);
    byId("stop").addEventListener("click", () => {
      byId("stop").disabled = true;
      ask(`api/verify/${running}/stop`, {});
    });
    choices.value = given.examples.findIndex(({ called }) => called.includes("/4_"));
    source.value = given.examples[choices.value].source;
    answer(true);
  };

  if (given.static) fromTable();
  else serve();
