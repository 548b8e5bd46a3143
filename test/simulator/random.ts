/** Randomness with a seed: the same seed draws the same, on every machine. */
export interface Random {
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  integer(least: number, most: number): number;
  /** A whole number whose logarithm is spread evenly: as many between 1 and 10 as between 100 and 1000. */
  magnitude(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** A seed for a generator of its own. */
  seed(): number;
}

/** A generator with 32 bits of state: Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed | 0;

  /** From 0 up to 1. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    chance: (probability) => next() < probability,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    magnitude: (least, most) => Math.min(most, Math.floor(least * (most / least + 1) ** next())),
    pick: (items) => items[Math.floor(next() * items.length)]!,
    seed: () => Math.floor(next() * 2 ** 32),
  };
}
