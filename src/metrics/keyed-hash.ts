/** A hash of 64 bits that depends on a secret; `words` has the last one. */
export interface KeyedHash {
  readonly words: Int32Array;
  update(text: string): void;
}

/**
 * HalfSipHash-1-3 (Aumasson and Bernstein, 2012) over the UTF-16 code units of a text. WebCrypto would have to be waited
 * for. It allocates nothing.
 */
export function createKeyedHash(secret: string): KeyedHash {
  const derived = hashWith(0, 0);
  derived.update(secret);
  return hashWith(derived.words[0]!, derived.words[1]!);
}

/** Rounds after the text, for each half of the result. */
const LAST_ROUNDS = 3;

function hashWith(key0: number, key1: number): KeyedHash {
  const words = new Int32Array(2);

  function update(text: string): void {
    const { length } = text;
    // One more says how long it is, so that no text is the beginning of another.
    const blocks = Math.ceil(length / 2) + 1;
    let v0 = key0;
    let v1 = key1 ^ 0xee;
    let v2 = key0 ^ 0x6c796765;
    let v3 = key1 ^ 0x74656462;
    for (let round = 0; round < blocks + 2 * LAST_ROUNDS; round++) {
      let block = 0;
      if (round < blocks - 1) {
        const at = 2 * round;
        const second = at + 1 < length ? text.charCodeAt(at + 1) : 0;
        block = text.charCodeAt(at) | (second << 16);
      } else if (round === blocks - 1) block = length;
      else if (round === blocks) v2 ^= 0xee;
      else if (round === blocks + LAST_ROUNDS) {
        words[0] = v1 ^ v3;
        v1 ^= 0xdd;
      }
      v3 ^= block;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= block;
    }
    words[1] = v1 ^ v3;
  }

  return { words, update };
}
