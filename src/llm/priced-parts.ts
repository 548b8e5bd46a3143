import { LONGEST } from "./json-visitor.ts";
import { numberIn } from "./read-number.ts";
import type { Place } from "./usage-places.ts";
import type { PricedPart } from "./usage-shapes.ts";
import type { Usage } from "./usage.ts";

/** A member of an object: its name, what it says, and whether that is a text. */
export type Member = readonly [name: string, text: string, isText: boolean];

/** Collects what decides a price beside the numbers of tokens. */
export interface PricedParts {
  endObject(place: Place, members: readonly Member[]): void;
  /** Reads an item of a list that is no object. */
  addItem(place: Place, text: string, isText: boolean): void;
  /** Says that parts that follow are of another document. */
  endDocument(): void;
  /** The parts of a usage that were told. */
  parts(): Partial<Usage>;
}

/** More models, or words for tiers, than any answer names. */
const MOST_WORDS = 20;

/** More searches and containers than any answer names. */
const MOST_NAMED = 1_000;

/** The micro-dollars of the units in which a provider tells a whole price. */
const MICRO_DOLLARS: Readonly<Partial<Record<PricedPart, number>>> = {
  dollars: 1_000_000,
  ticks: 1 / 10_000,
};

/** @param doubt is called for what cannot be read */
export function createPricedParts(doubt: () => void): PricedParts {
  const words = { model: new Set<string>(), tier: new Set<string>() };
  /** What was searched for and where code was run: documents tell it again, and others tell more of it. */
  const named = { searches: new Set<string>(), containers: new Set<string>() };
  /** By part and path: documents tell it again, and objects of one document are summed. */
  const counts = new Map<string, { readonly part: string; now: number; most: number }>();

  function count(place: Place, part: PricedPart, units: number): void {
    const key = `${part} ${place.path}`;
    const counter = counts.get(key) ?? { part, now: 0, most: 0 };
    counts.set(key, counter);
    counter.now = Math.min(counter.now + units, Number.MAX_SAFE_INTEGER);
    counter.most = Math.max(counter.most, counter.now);
  }

  function read(place: Place, part: PricedPart, text: string, isText: boolean): void {
    if (part === "model" || part === "tier") {
      if (isText && text !== "" && text.length <= LONGEST) addTo(words[part], text, MOST_WORDS);
      return;
    }
    const units = numberIn(text, isText, MICRO_DOLLARS[part]);
    if (units !== undefined) count(place, part, units);
    else if (isText && part === "containers") addTo(named.containers, text, MOST_NAMED);
    else if (isText || text !== "null") doubt();
  }

  const most = (...parts: readonly string[]) =>
    Math.max(
      0,
      ...[...counts.values()].filter(({ part }) => parts.includes(part)).map((each) => each.most),
    );

  return {
    endObject(place, members) {
      const labels = members.map(([name, text]) => `${name}=${text}`);
      for (const label of labels) {
        const part = place.priced.get(label);
        if (part !== undefined) read(place, part, "1", false);
      }
      for (const [name, text, isText] of members) {
        for (const key of [name, ...labels.map((label) => `${label}.${name}`)]) {
          const part = place.priced.get(key);
          if (part !== undefined) read(place, part, text, isText);
        }
      }
    },

    addItem(place, text, isText) {
      const part = place.priced.get("");
      // A text may spell a number: that of a year is searched for, too.
      if (part === "searches" && isText) addTo(named.searches, text, MOST_NAMED);
      else if (part !== undefined) read(place, part, "1", false);
    },

    endDocument() {
      for (const counter of counts.values()) counter.now = 0;
    },

    parts() {
      const numbers = {
        cacheWriteHourTokens: most("hour"),
        audioInputTokens: most("audioInput"),
        audioOutputTokens: most("audioOutput"),
        searches: Math.max(most("searches"), named.searches.size),
        containers: Math.max(most("containers"), named.containers.size),
        costMicroDollars: most("dollars", "ticks"),
      };
      return {
        ...Object.fromEntries(Object.entries(numbers).filter(([, number]) => number > 0)),
        ...(words.model.size > 0 && { models: [...words.model] }),
        ...(words.tier.size > 0 && { tiers: [...words.tier] }),
      };
    },
  };
}

function addTo(set: Set<string>, text: string, most: number): void {
  if (set.size < most) set.add(text);
}
