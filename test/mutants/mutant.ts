import type { Edit } from "./operators/edit.ts";

/** A small way to break the product, and the tests that must notice. */
export interface Mutant extends Omit<Edit, "operator"> {
  /** Names it to people, and in the results of a run. */
  readonly name: string;
  /** Below the folder of the project. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The text that is replaced. */
  readonly was: string;
  /** The operator that made it, or that it was written by hand, for a promise. */
  readonly operator: Edit["operator"] | "promise";
  /** The tests that are nearest to the file, if any: they are run before the others. */
  readonly nearest: readonly string[];
  /** Files and folders of tests, as vitest takes them. */
  readonly tests: readonly string[];
}

/** The finding of a run about a mutant. */
export interface Result {
  readonly mutant: Mutant;
  /** `timeout`: its tests never ended, which counts as noticed. */
  readonly outcome: "noticed" | "survived" | "timeout";
  /** The first test that failed. */
  readonly by?: string;
  readonly seconds: number;
}

/** The number of the line, from 1, in which a place of a text stands. */
export function lineAt(source: string, place: number): number {
  return source.slice(0, place).split("\n").length;
}
