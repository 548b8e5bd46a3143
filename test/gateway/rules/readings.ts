import { type Readings, readPath, type Segments } from "../../../src/gateway/rules/path.ts";
import { compileRouter, type Found } from "../../../src/gateway/rules/router.ts";
import { Steps } from "../../../src/gateway/rules/steps.ts";

/** The readings of a path; `undefined` for one that is refused. */
export function readingsOf(path: string): Readings | undefined {
  const { pathname } = new URL(`http://gateway.example${path}`);
  const read = readPath(pathname, new Steps());
  return typeof read === "string" ? undefined : read;
}

export const allOf = ({ plain, others, wider }: Readings) => [plain, ...others, ...wider];

/** The indices of the patterns that cover a path. */
export function coveringOf(patterns: readonly string[]): (path: Segments) => readonly number[] {
  const { find } = compileRouter(patterns);
  return (path) => {
    const found: Found = new Set();
    find(path, found);
    return [...found].flat();
  };
}

/** Whether a path is under a rule for the pattern. */
export function coverageOf(pattern: string): (path: Segments) => boolean {
  const covering = coveringOf([pattern]);
  return (path) => covering(path).length > 0;
}
