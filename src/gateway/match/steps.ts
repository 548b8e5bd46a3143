/**
 * The steps that reading a path may take, beyond those of a path that can be read in one way only: a character of a
 * reading is one, and so is a node of the rules' trie at which a reading is tried. It is some 2 ms. What people send has
 * three readings, nine with parameters and escaped slashes in one path; it takes 15,000 steps if it has 1,000 characters.
 */
const MAX_STEPS = 200_000;

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
