/** The longest partition key. Longer texts could be made to collide. */
export const LONGEST = 128;

/**
 * A hash of 24 bits under which no two texts collide more often than by chance, whoever chose them: the character at
 * each place counts by a weight that is drawn here and told nobody (multiply-shift hashing). Under a hash that is
 * known, identities could be made up that all collide, and every look-up would be slow.
 *
 * Not at module scope: Workers have no random numbers there.
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
