import type { Dice } from "./draw.ts";
import { type Fate, FATES } from "./page.ts";

/** How each master treats calls: for a while all of them alike, and a call now and then differently. */
export interface Weather {
  fateOf(master: number): Fate;
  /** May change with each step of a story. */
  turn(): void;
  /** Every call is answered from now on. */
  clear(): void;
}

/** How often a healthy master loses a call all the same. */
const BLIPS = 0.04;

export function createWeather(dice: Dice, masters: number, isCalm: boolean): Weather {
  const fates = isCalm ? (["answered", "not sent"] as const) : FATES;
  const moods: (Fate | "mixed")[] = Array.from({ length: masters }, () => "answered");
  let isClear = false;

  return {
    fateOf(master) {
      const mood = moods[master]!;
      if (isClear) return "answered";
      if (mood === "mixed" || (mood === "answered" && dice.chance(BLIPS))) return dice.among(fates);
      return mood;
    },
    turn() {
      for (const master of moods.keys()) {
        if (dice.chance(0.8)) continue;
        moods[master] = dice.chance(0.6)
          ? "answered"
          : dice.among<Fate | "mixed">([...fates, "mixed"]);
      }
    },
    clear() {
      isClear = true;
    },
  };
}
