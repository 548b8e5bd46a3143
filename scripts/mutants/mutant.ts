/** A small way to break the product, and the tests that must notice. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Files of tests, as vitest takes them. */
  readonly tests: readonly string[];
}
