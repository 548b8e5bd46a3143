/** Header fields whose value is a key, by their names. */
const KEY = /(?:authorization|key|token)$/;

/** The last characters of a shorter key would be too much of it. */
const FEWEST_CHARACTERS = 20;

const SHOWN = /[\w.~+/=-]{4}$/;

/**
 * The last four characters of the key that an identity was made of, by which people tell keys apart. `undefined` for
 * passwords, short keys, and texts that are no keys.
 */
export function keyHint(identity: string, headers: Headers): string | undefined {
  for (const fact of identity.split(",")) {
    const [name = "", ...rest] = fact.split(":");
    const value = rest.length === 1 && KEY.test(name) ? headers.get(name)?.trim() : undefined;
    if (value === undefined || value.length < FEWEST_CHARACTERS) continue;
    if (/^basic\s/i.test(value)) continue;
    return SHOWN.exec(value)?.[0];
  }
  return undefined;
}
