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
