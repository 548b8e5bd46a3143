import { expect, test } from "vitest";

import { keepSilent, type Mark, mayAsk } from "../../src/features/notice-marks.ts";

test("silences are those of ten thousand partitions at most: the newest is kept, and the oldest may be asked about again", () => {
  const mark = { policy: { windowUs: 1 }, silences: new Map() } as unknown as Mark;
  const silence = { endsUs: 0, untilMs: 1_000 };
  for (let flood = 0; flood < 30_000; flood++) {
    keepSilent(mark, `flood-${flood}`, silence);
    keepSilent(mark, "hot", silence);
  }
  expect(mark.silences.size).toBe(10_000);
  const asks = ["hot", "flood-29999", "flood-20001", "flood-20000"].map((partition) =>
    mayAsk(mark, partition, 0, 0),
  );
  expect(asks).toEqual([false, false, false, true]);
});
