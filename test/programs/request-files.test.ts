import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { expect, test } from "vitest";

/* A request to Redis and back passes few files, so that a reader has few to open. The benchmark counts them by coverage. */

interface Results {
  readonly parts: {
    readonly files: {
      readonly figures: readonly {
        readonly name: string;
        readonly tidegate: number;
        readonly target: { readonly value: number };
      }[];
    };
  };
}

test("a request passes 15 files of src to Redis and back, and from Hono 22", async () => {
  const args = ["bench/benchmark/main.ts", "--only", "files", "--short", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { figures } = (JSON.parse(stdout) as Results).parts.files;
  expect(figures.map(({ target }) => target.value)).toEqual([15, 15, 22]);
  expect(figures.filter(({ tidegate, target }) => tidegate > target.value)).toEqual([]);
  // No request is decided in fewer files than its path has steps.
  expect(Math.min(...figures.map(({ tidegate }) => tidegate))).toBeGreaterThan(10);
});
