import { useState } from "hono/jsx/dom";

import { useLive } from "../live/live.ts";
import { RANGES } from "../live/ranges.ts";
import { keepTheme, keptTheme, type Theme } from "./theme.ts";

const VIEWS = [
  ["", "Overview"],
  ["rules", "Rules"],
  ["partition", "Client"],
  ["edit", "Edit"],
  ["lists", "Lists"],
  ["audit", "Audit"],
] as const;

interface HeaderProps {
  readonly view: string;
  /** With a token on the server, there is no session to leave. */
  readonly leave: (() => void) | undefined;
}

export function Header({ view, leave }: HeaderProps) {
  return (
    <header class="top">
      <a class="brand" href="#/" aria-label="Tidegate">
        <Waves />
        <span>Tidegate</span>
      </a>
      <nav aria-label="Views">
        {VIEWS.map(([name, title]) => (
          <a href={`#/${name}`} {...(view === name && { "aria-current": "page" })}>
            {title}
          </a>
        ))}
      </nav>
      <div class="controls">
        <TimeControls />
        <ThemeSwitch />
        {leave && (
          <button type="button" class="quiet" onClick={leave}>
            Sign out
          </button>
        )}
      </div>
    </header>
  );
}

export function Waves() {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <rect width="24" height="24" rx="6" class="mark" />
      <path class="wave" d="M4 9.5c2.7-3 5.3-3 8 0s5.3 3 8 0M4 15.5c2.7-3 5.3-3 8 0s5.3 3 8 0" />
    </svg>
  );
}

function TimeControls() {
  const { range, setRange, isPaused, setPaused } = useLive();
  return (
    <>
      <select
        aria-label="Time range"
        value={range.name}
        onChange={(event: Event) => setRange((event.target as HTMLSelectElement).value)}
      >
        {RANGES.map(({ name, title }) => (
          <option value={name} selected={name === range.name}>
            {title}
          </option>
        ))}
      </select>
      <button
        type="button"
        class={isPaused ? "live paused" : "live"}
        aria-pressed={isPaused ? "false" : "true"}
        onClick={() => setPaused(!isPaused)}
      >
        {isPaused ? "Paused" : "Live"}
      </button>
    </>
  );
}

function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(keptTheme());
  return (
    <select
      aria-label="Colours"
      value={theme}
      onChange={(event: Event) => {
        const chosen = (event.target as HTMLSelectElement).value as Theme;
        keepTheme(chosen);
        setTheme(chosen);
      }}
    >
      {(["auto", "light", "dark"] as const).map((name) => (
        <option value={name} selected={name === theme}>
          {name}
        </option>
      ))}
    </select>
  );
}
