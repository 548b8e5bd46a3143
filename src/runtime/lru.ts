/**
 * Puts an entry at the end of a Map, which keeps the order of insertion, and drops the first one if there are then more
 * than `most`: what is put back whenever it is used goes when it has been unused for longest.
 */
export function setRecent<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value!);
}
