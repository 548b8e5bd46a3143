import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { SHAPES } from "../support/llm/shapes.ts";
import { runs, some } from "../support/runs.ts";
import { bytesOf, cut, everywhere, readThrough, streamed } from "./streamed.ts";

describe.each(SHAPES)("$name", ({ type, body, headers, usage }) => {
  const whole = bytesOf(body);

  async function expectUsage(positions: readonly number[]): Promise<void> {
    const { told, bytes } = await readThrough(streamed(cut(whole, positions), type, headers));
    const where = `cut at ${positions.slice(0, 40).join(", ")}`;
    expect(told, where).toEqual([usage]);
    // Not toEqual(), which takes long for many bytes.
    expect(Buffer.compare(bytes, whole), where).toBe(0);
  }

  test("tells its usage in one piece", async () => {
    await expectUsage([]);
  });

  test("tells it cut in two at every byte", async () => {
    for (const at of some([...everywhere(whole), whole.length])) await expectUsage([at]);
  });

  test("tells it in single bytes", async () => {
    await expectUsage(everywhere(whole));
  });

  test("tells it cut anywhere", async () => {
    const positions = fc.uniqueArray(fc.nat(whole.length), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(positions, async (drawn) => {
        await expectUsage(drawn.toSorted((a, b) => a - b));
      }),
      { numRuns: runs(100) },
    );
  });
});
