/** Stores a fixed count of numbers under each text. */
export interface ClockCache {
  /**
   * The numbers of all slots; the numbers of a slot begin at `slot * columns`. A new array whenever the table grows.
   */
  readonly numbers: Float64Array;
  /** Finds the slot of a text and marks it as used; 0 if the text has none. */
  find(text: string): number;
  /** Puts numbers under a text. If all slots are taken, one that was not used lately is evicted. */
  set(text: string, numbers: ArrayLike<number>): void;
  /** Frees a slot. */
  remove(slot: number): void;
}

/** Every slot has room for at least the characters of an IPv6 /64. */
const MIN_TEXT_BYTES = 24;

/** Replaces the length of a text that is stored in a map. */
const LONG_TEXT = 255;

/**
 * A hash table that evicts by the CLOCK algorithm: a hand goes round, and evicts the first slot that was not used since
 * it last passed. So a text that is looked up repeatedly survives any number of other texts. The table consists of
 * typed arrays, because a string in a Map takes more memory than the text and its numbers take here.
 *
 * @param maxSlots from 1
 * @param columns the count of numbers per text
 * @param textLength characters of a usual text; a longer one, or one that is not in Latin-1, takes more memory
 */
export function createClockCache(
  maxSlots: number,
  columns: number,
  textLength: number,
): ClockCache {
  const hash = createSeededHash();
  const width = 1 + Math.min(LONGEST, Math.max(MIN_TEXT_BYTES, textLength));
  let capacity = 0;
  let lastSlot = 0;
  let hand = 0;
  /** The slot freed last, 0 if none; `next` leads from it to the one freed before. */
  let freed = 0;

  let numbers = new Float64Array();
  /** For each slot, the length of its text and then the text. */
  let bytes = new Uint8Array();
  const longTexts = new Map<number, string>();
  let hashes = new Int32Array();
  /** 1 for each slot that was used since the hand last passed. */
  let used = new Uint8Array();
  /** For each slot, the next slot of its bucket, 0 at the end. After the slots, the first slot of each bucket. */
  let next = new Int32Array();

  /** Grows by a sixteenth only, because empty slots add to the memory per entry. */
  function grow(): void {
    capacity = Math.min(maxSlots, capacity + 16 + (capacity >> 4));
    numbers = lengthened(numbers, (capacity + 1) * columns);
    bytes = lengthened(bytes, (capacity + 1) * width);
    hashes = lengthened(hashes, capacity + 1);
    used = lengthened(used, capacity + 1);
    next = new Int32Array(2 * capacity + 1);
    for (let slot = 1; slot <= lastSlot; slot++) link(slot);
  }

  const bucketOf = (hash: number) => capacity + 1 + (hash % capacity);

  function link(slot: number): void {
    const bucket = bucketOf(hashes[slot]!);
    next[slot] = next[bucket]!;
    next[bucket] = slot;
  }

  function unlink(slot: number): void {
    let before = bucketOf(hashes[slot]!);
    while (next[before] !== slot) before = next[before]!;
    next[before] = next[slot]!;
  }

  function find(text: string, hashed: number): number {
    let slot = next[bucketOf(hashed)]!;
    // Equal hashes do not prove equal texts, but different ones save the comparison.
    while (slot > 0 && !(hashes[slot] === hashed && holds(slot, text))) slot = next[slot]!;
    used[slot] = 1;
    return slot;
  }

  function holds(slot: number, text: string): boolean {
    let at = slot * width;
    const length = bytes[at]!;
    if (length === LONG_TEXT) return longTexts.get(slot) === text;
    if (length !== text.length) return false;
    for (let i = 0; i < length; i++) {
      if (bytes[++at] !== text.charCodeAt(i)) return false;
    }
    return true;
  }

  function remove(slot: number): void {
    unlink(slot);
    longTexts.delete(slot);
    used[slot] = 0;
    next[slot] = freed;
    freed = slot;
  }

  /** Takes a freed slot, else a new one, else evicts one. */
  function freeSlot(): number {
    if (freed === 0 && lastSlot < maxSlots) {
      if (lastSlot === capacity) grow();
      return ++lastSlot;
    }
    if (freed === 0) {
      for (;;) {
        hand = (hand % maxSlots) + 1;
        if (!used[hand]) break;
        used[hand] = 0;
      }
      remove(hand);
    }
    const slot = freed;
    freed = next[slot]!;
    return slot;
  }

  function add(text: string, hashed: number): number {
    const slot = freeSlot();
    hashes[slot] = hashed;
    link(slot);
    let at = slot * width;
    if (text.length < width && !/[^\0-\xff]/.test(text)) {
      bytes[at] = text.length;
      for (let i = 0; i < text.length; i++) bytes[++at] = text.charCodeAt(i);
    } else {
      bytes[at] = LONG_TEXT;
      longTexts.set(slot, text);
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

/** Characters of the longest partition key. Longer texts could be made to collide. */
export const LONGEST = 128;

/**
 * A hash of 24 bits under which texts collide only by chance, even if an attacker chose them: each character is
 * multiplied by a secret random weight of its position (multiply-shift hashing). With a known hash, an attacker could
 * construct identities that all collide, and every look-up would be slow.
 *
 * Do not call it at module scope: Workers have no random numbers there.
 */
export function createSeededHash(): (text: string) => number {
  const weights = crypto.getRandomValues(new Int32Array(LONGEST));

  return (text) => {
    let sum = 0;
    for (let i = 0; i < text.length; i++) {
      sum = (sum + Math.imul(weights[i % LONGEST]!, text.charCodeAt(i))) | 0;
    }
    // The lower a bit of the sum, the fewer bits of the weights it depends on.
    return sum >>> 8;
  };
}
