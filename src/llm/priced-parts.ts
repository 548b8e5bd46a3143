import { LONGEST } from "./json-visitor.ts";
import { numberIn } from "./read-number.ts";
import type { Place } from "./usage-places.ts";
import type { PricedPart } from "./usage-shapes.ts";
import type { Usage } from "./usage.ts";

/** A member of an object: its name, what it says, and whether that is a text. */
export type Member = readonly [name: string, text: string, isText: boolean];

/** Collects what decides a price beside the numbers of tokens. */
export interface PricedParts {
  /** Reads an object that has ended. */
  endObject(place: Place, members: readonly Member[]): void;
  /** Reads an item of a list that is no object. */
  addItem(place: Place): void;
  /** Says that parts that follow are of another document. */
  endDocument(): void;
  /** The parts of a usage that were told. */
  parts(): Partial<Usage>;
}

/** More models, or words for tiers, than any answer names. */
const MOST_WORDS = 20;

export function createPricedParts(): PricedParts {
  const words = { model: new Set<string>(), tier: new Set<string>() };
  /** By part and path: documents tell it again, and objects of one document are summed. */
  const counts = new Map<string, { readonly part: string; now: number; most: number }>();

  function count(place: Place, part: Exclude<PricedPart, "model" | "tier">, units: number): void {
    const key = `${part} ${place.path}`;
    const counter = counts.get(key) ?? { part, now: 0, most: 0 };
    counts.set(key, counter);
    counter.now = Math.min(counter.now + units, Number.MAX_SAFE_INTEGER);
    counter.most = Math.max(counter.most, counter.now);
  }

  function read(place: Place, part: PricedPart, text: string, isText: boolean): void {
    if (part === "model" || part === "tier") {
      const known = words[part];
      if (isText && text !== "" && text.length <= LONGEST && known.size < MOST_WORDS) {
        known.add(text);
      }
      return;
    }
    count(place, part, numberIn(text, isText) ?? 0);
  }

  const most = (part: PricedPart) =>
    Math.max(
      0,
      ...[...counts.values()].filter((each) => each.part === part).map((each) => each.most),
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

    addItem(place) {
      const part = place.priced.get("");
      if (part !== undefined) read(place, part, "1", false);
    },

    endDocument() {
      for (const counter of counts.values()) counter.now = 0;
    },

    parts() {
      const numbers = {
        cacheWriteHourTokens: most("hour"),
        audioInputTokens: most("audioInput"),
        audioOutputTokens: most("audioOutput"),
        searches: most("searches"),
      };
      return {
        ...Object.fromEntries(Object.entries(numbers).filter(([, number]) => number > 0)),
        ...(words.model.size > 0 && { models: [...words.model] }),
        ...(words.tier.size > 0 && { tiers: [...words.tier] }),
      };
    },
  };
}
