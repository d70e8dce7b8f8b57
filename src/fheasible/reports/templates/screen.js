  // The theme: as the system has it until the button is pressed.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = document.getElementById("theme");
  const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const name = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    name();
  });
  dark.addEventListener("change", name);
  name();

  const said = document.getElementById("said");
  // What is said beside a place on the screen, which it never leaves.
  const say = (content, box) => {
    said.replaceChildren(content);
    said.hidden = false;
    const { width, height } = said.getBoundingClientRect();
    const left = Math.min(Math.max(box.left + box.width / 2 - width / 2, 8), innerWidth - width - 8);
    const above = box.top - height - 10;
    said.style.left = `${Math.max(left, 4)}px`;
    said.style.top = `${above > 4 ? above : Math.min(box.bottom + 10, innerHeight - height - 4)}px`;
  };
  const hush = () => { said.hidden = true; };
  // A finger leaves where it is lifted: what it has touched stays said until the next touch.
  const unlessTouched = (then) => (event) => { if (event.pointerType !== "touch") then(); };
