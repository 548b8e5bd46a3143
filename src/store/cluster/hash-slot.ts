import { SLOTS } from "../breaker.ts";

/** The prefix and the hash tag of a key: the same for all keys of a partition. */
export function tagOf(key: string): string {
  return key.slice(0, key.indexOf("}") + 1);
}

/** The slot of a key with a hash tag, as Redis Cluster computes it. Tags are ASCII. */
export function hashSlot(key: string): number {
  let crc = 0;
  for (let at = key.indexOf("{") + 1, end = key.indexOf("}", at); at < end; at++) {
    crc ^= key.charCodeAt(at) << 8;
    // Bits beyond the 16 never come back.
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 && 0x1021);
  }
  return crc & (SLOTS - 1);
}
