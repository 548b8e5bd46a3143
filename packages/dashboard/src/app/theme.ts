/** `auto` is the system's preference. */
export type Theme = "auto" | "light" | "dark";

const NAME = "tidegate-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export function keptTheme(): Theme {
  const kept = localStorage.getItem(NAME);
  return kept === "light" || kept === "dark" ? kept : "auto";
}

export function keepTheme(theme: Theme): void {
  localStorage.setItem(NAME, theme);
  applyTheme();
}

function applyTheme(): void {
  const kept = keptTheme();
  const system = prefersDark.matches ? "dark" : "light";
  document.documentElement.dataset["theme"] = kept === "auto" ? system : kept;
  // Pictures are drawn with the colours of now.
  dispatchEvent(new Event("themechange"));
}

/** Follows the system's preference. */
export function followTheme(): void {
  prefersDark.addEventListener("change", applyTheme);
  applyTheme();
}
