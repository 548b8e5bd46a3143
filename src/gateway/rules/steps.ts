/**
 * The steps that the readings of a path may take, besides that of the path as it was sent: a character that is decoded or read
 * is one, and so is a node of the rules' trie at which a reading is tried. All of them take a millisecond.
 *
 * Most paths have up to three readings. One of 1,000 characters with parameters and escaped slashes has six, and takes 20,000
 * steps.
 */
const MAX_STEPS = 220_000;

/** Counts the steps for one request, because a client decides how many readings its path has. */
export class Steps {
  #left = MAX_STEPS;

  take(count: number): void {
    this.#left -= count;
  }

  get areTooMany(): boolean {
    return this.#left < 0;
  }
}
