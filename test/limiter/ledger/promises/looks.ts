import type { Masters } from "../masters.ts";
import type { Say } from "./say.ts";

/** No master changes its state at a look, under any plan of the client. */
export async function checkLook(
  masters: Masters,
  keys: () => Iterable<string>,
  look: () => Promise<unknown>,
  say: Say,
): Promise<void> {
  const unused = `${masters.prefix}:{none}:none`;
  const before = await masters.state([...keys(), unused]);
  await look();
  const after = await masters.state(keys());
  for (const [key, state] of Object.entries(after)) {
    const expected = before[key] ?? before[unused];
    if (state !== expected) say(`a look changes ${key} from ${expected} to ${state}`);
  }
}
