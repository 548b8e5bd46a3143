/**
 * Sets an entry as the most recent one of a Map, and drops the least recently set beyond `maxEntries`. A Map iterates
 * in the order of insertion, so its first entry is the oldest.
 */
export function setRecent<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  maxEntries: number,
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > maxEntries) map.delete(map.keys().next().value!);
}
