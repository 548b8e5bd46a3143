import { createContext, useContext, useEffect, useState } from "hono/jsx/dom";

import { RANGES, type TimeRange } from "./ranges.ts";

const EVERY_MS = 10_000;
const NAME = "tidegate-range";

/** Whether views are read anew, and the time that they show. */
export interface Live {
  readonly range: TimeRange;
  readonly setRange: (name: string) => void;
  readonly isPaused: boolean;
  readonly setPaused: (isPaused: boolean) => void;
  /** Another number whenever everything shall be read anew. */
  readonly tick: number;
  readonly readNow: () => void;
}

export const LiveContext = createContext<Live | undefined>(undefined);

export function useLive(): Live {
  return useContext(LiveContext)!;
}

/** Ticks while it is not paused and the page is visible. */
export function useTicks(): Live {
  const [range, setRange] = useState<TimeRange>(
    () => RANGES.find(({ name }) => name === sessionStorage.getItem(NAME)) ?? RANGES[0],
  );
  const [isPaused, setPaused] = useState(false);
  const [tick, setTick] = useState(0);
  const readNow = () => setTick((before) => before + 1);

  useEffect(() => {
    if (isPaused) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) readNow();
    }, EVERY_MS);
    const seen = () => {
      if (!document.hidden) readNow();
    };
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [isPaused]);

  return {
    range,
    setRange: (name) => {
      sessionStorage.setItem(NAME, name);
      setRange(RANGES.find((each) => each.name === name) ?? RANGES[0]);
    },
    isPaused,
    setPaused: (paused) => {
      setPaused(paused);
      if (!paused) readNow();
    },
    tick,
    readNow,
  };
}
