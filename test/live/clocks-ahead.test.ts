import { afterEach, expect, test, vi } from "vitest";

import { liveKeys } from "../../src/store/control/live-keys.ts";
import { NO_STATE } from "../../src/store/control/live-state.ts";
import { stateReader } from "../../src/store/control/read-state.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2031, 0, 1, 9);

afterEach(() => void vi.useRealTimers());

/** The rules that are read where Redis has a revision that was written this far ahead of the isolate's clock. */
async function readAhead(ms: number) {
  vi.useFakeTimers({ now: NOW_MS, toFake: ["Date"] });
  const revision = String((NOW_MS + ms) * 1000);
  const sent: string[] = [];
  const fields = ["revision", revision, "version", "3", "document", "{}"];
  const read = stateReader(async ([name = "", key]) => {
    sent.push(String(name));
    if (name === "HMGET") return [revision, "1"];
    return key === liveKeys("tg").state ? fields : [];
  }, liveKeys("tg"));
  return { state: await read(NO_STATE), revision: Number(revision), sent };
}

test("a revision of a clock that is up to a day ahead is believed", async () => {
  const { state, revision, sent } = await readAhead(DAY_MS);
  expect(state).toMatchObject({ revision, version: 3, misread: undefined });
  expect(sent).toEqual(["HMGET", "HGETALL", "HGETALL"]);
});

test("a revision that is further ahead is not, and the one beside it is in force", async () => {
  const { state } = await readAhead(DAY_MS + 1);
  expect(state).toMatchObject({
    revision: 1,
    version: 3,
    document: "{}",
    misread: expect.stringMatching(/^the revision of the live rules/),
  });
});
