import { createKeyedHash } from "../../../src/metrics/keyed-hash.ts";
import { SAMPLED_ONE_IN } from "../../../src/metrics/trace.ts";

/** Whether a client is in the sample of this secret. */
export function samplesWith(secret: string) {
  const hash = createKeyedHash(secret);
  return (identity: string) => {
    hash.update(identity);
    return hash.words[0]! % SAMPLED_ONE_IN === 0;
  };
}
