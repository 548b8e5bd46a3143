import { createSeededHash, LONGEST } from "./seeded-hash.ts";

/** Keeps some numbers under each text, always as many. */
export interface ClockCache {
  /** Where they stand. It is another array once there are more. */
  readonly numbers: Float64Array;
  /** The slot of a text, which is used by that, or 0 if it has none. Its numbers begin at so many times their count. */
  find(text: string): number;
  /** Puts numbers under a text. If all slots are taken, one that was not used lately is given up. */
  set(text: string, numbers: ArrayLike<number>): void;
  /** Gives a slot up. */
  remove(slot: number): void;
}

/** Every slot has room for at least the characters of an IPv6 /64. */
const SHORTEST = 24;

/** Stands where the length of a text would, if the text is kept elsewhere. */
const ELSEWHERE = 255;

/**
 * A hash table that gives up what is not used, by the CLOCK algorithm: a hand goes round, and takes the first slot that
 * was not used since it last came by. So what is asked for again survives any number of texts that nobody asks for. All of
 * it is typed arrays: as a string in a Map, a text alone would take more memory than it takes here with its numbers.
 *
 * @param most how many slots there are at most, from 1
 * @param columns how many numbers a text has
 * @param length of a usual text; a longer one, or one that is not in Latin-1, takes more memory
 */
export function createClockCache(most: number, columns: number, length: number): ClockCache {
  const hash = createSeededHash();
  const width = 1 + Math.min(LONGEST, Math.max(SHORTEST, length));
  let last = 0;
  let taken = 0;
  let hand = 0;
  /** The slot given up last; its place in `chain` names the one before. */
  let vacant = 0;

  let numbers = new Float64Array();
  /** Of each slot the length of its text, and the text. */
  let bytes = new Uint8Array();
  const elsewhere = new Map<number, string>();
  let hashes = new Int32Array();
  /** 1 for each slot that was used since the hand came by. */
  let used = new Uint8Array();
  /** After each slot the next one of its chain, 0 at the end; beyond the slots, the first one of each chain. */
  let chain = new Int32Array();

  /** By a sixteenth: what stands empty is part of the price of an entry. */
  function grow(): void {
    last = Math.min(most, last + 16 + (last >> 4));
    numbers = lengthened(numbers, (last + 1) * columns);
    bytes = lengthened(bytes, (last + 1) * width);
    hashes = lengthened(hashes, last + 1);
    used = lengthened(used, last + 1);
    chain = new Int32Array(2 * last + 1);
    for (let slot = 1; slot <= taken; slot++) intoChain(slot);
  }

  const beginning = (hash: number) => last + 1 + (hash % last);

  function intoChain(slot: number): void {
    const before = beginning(hashes[slot]!);
    chain[slot] = chain[before]!;
    chain[before] = slot;
  }

  function outOfChain(slot: number): void {
    let before = beginning(hashes[slot]!);
    while (chain[before] !== slot) before = chain[before]!;
    chain[before] = chain[slot]!;
  }

  function find(text: string, hashed: number): number {
    let slot = chain[beginning(hashed)]!;
    // The hash spares most of the texts that only share the chain their comparison, and proves nothing.
    while (slot > 0 && !(hashes[slot] === hashed && holds(slot, text))) slot = chain[slot]!;
    used[slot] = 1;
    return slot;
  }

  function holds(slot: number, text: string): boolean {
    let at = slot * width;
    const length = bytes[at]!;
    if (length === ELSEWHERE) return elsewhere.get(slot) === text;
    if (length !== text.length) return false;
    for (let i = 0; i < length; i++) {
      if (bytes[++at] !== text.charCodeAt(i)) return false;
    }
    return true;
  }

  function remove(slot: number): void {
    outOfChain(slot);
    elsewhere.delete(slot);
    used[slot] = 0;
    chain[slot] = vacant;
    vacant = slot;
  }

  /** Makes a slot vacant where none is: a new one while there are any. */
  function vacate(): void {
    if (vacant > 0) return;
    if (taken < most) {
      if (taken === last) grow();
      vacant = ++taken;
      return;
    }
    for (;;) {
      hand = (hand % most) + 1;
      if (!used[hand]) break;
      used[hand] = 0;
    }
    remove(hand);
  }

  function add(text: string, hashed: number): number {
    vacate();
    const slot = vacant;
    vacant = chain[slot]!;
    hashes[slot] = hashed;
    intoChain(slot);
    let at = slot * width;
    if (text.length < width && !/[^\0-\xff]/.test(text)) {
      bytes[at] = text.length;
      for (let i = 0; i < text.length; i++) bytes[++at] = text.charCodeAt(i);
    } else {
      bytes[at] = ELSEWHERE;
      elsewhere.set(slot, text);
    }
    return slot;
  }

  grow();

  return {
    get numbers() {
      return numbers;
    },
    find: (text) => find(text, hash(text)),
    set(text, list) {
      const hashed = hash(text);
      const slot = find(text, hashed) || add(text, hashed);
      numbers.set(list, slot * columns);
    },
    remove,
  };
}

/** A copy of an array that has room for more. */
function lengthened<Numbers extends Uint8Array | Int32Array | Float64Array>(
  numbers: Numbers,
  length: number,
): Numbers {
  const longer = new (numbers.constructor as new (length: number) => Numbers)(length);
  longer.set(numbers);
  return longer;
}
