import { expect, test } from "vitest";

import { inspectControl } from "../../src/gateway/live/control-facts.ts";
import { StoreError } from "../../src/options/errors.ts";
import type { Persistence } from "../../src/store/control/control-store.ts";
import { redisLiveStore } from "../../src/store/control/live-store.ts";

const PLACE = {
  kind: "redis",
  redis: { url: "http://127.0.0.1:1", token: "t" },
  isOwn: true,
} as const;

/** An inspection of a store that answers so, one answer after the other. */
function inspectionOf(answers: readonly (Persistence | "late")[]) {
  const told: string[] = [];
  let asked = 0;
  const inspection = inspectControl(
    PLACE,
    async () => {
      const answer = answers[asked++]!;
      if (answer === "late") throw new StoreError("ERR_STORE_TIMEOUT", "late");
      return answer;
    },
    (message) => void told.push(message),
  );
  return { inspection, told, asked: () => asked };
}

test("a store that has not answered yet is unknown, and is asked until it has", async () => {
  const { inspection, told, asked } = inspectionOf(["late", "late", "none"]);
  const seen = [];
  for (let i = 0; i < 5; i++) {
    seen.push(inspection.facts().persistence);
    await inspection.ask();
  }
  expect(seen).toEqual(["unknown", "unknown", "unknown", "none", "none"]);
  expect([asked(), told.length]).toEqual([3, 1]);
});

test("a store that does not say what it keeps is asked once", async () => {
  const { inspection, asked } = inspectionOf(["unknown", "aof"]);
  for (let i = 0; i < 3; i++) await inspection.ask();
  expect([inspection.facts().persistence, asked()]).toEqual(["unknown", 1]);
});

test("of two that ask at once one tells of a store that keeps nothing", async () => {
  const { inspection, told } = inspectionOf(["none", "none"]);
  await Promise.all([inspection.ask(), inspection.ask()]);
  expect(told).toHaveLength(1);
});

test("a Redis that cannot be reached is no answer", async () => {
  const { persistence } = redisLiveStore(PLACE.redis, "tg", 10_000, () => {});
  await expect(persistence()).rejects.toMatchObject({ code: "ERR_STORE_UNREACHABLE" });
});
