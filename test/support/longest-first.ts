import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes each in `npm run test:stress`. */
const LONGEST = /\/test\/region\/(?:ledger-\w+|mixed|steady)\.test\.ts$/;

/**
 * Starts the longest files first. Vitest does so where it remembers a run; on a bare machine it starts the largest files first, and the end
 * of the run would wait for one that is short and takes long.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
