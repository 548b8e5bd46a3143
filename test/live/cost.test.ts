import { expect, test, vi } from "vitest";

import { useFetched } from "../gateway/fetched.ts";

// As at the edge, where a test can answer in the place of the origin.
vi.mock(
  "../../src/gateway/proxy/node/forward.ts",
  () => import("../../src/gateway/proxy/forward.ts"),
);

const fetched = useFetched();

/** Commands of an hour in which a request comes each second. */
async function commandsOfAnHour(variables: object): Promise<Record<string, number>> {
  const ask = fetched.gateway({ CLIENT_IP: "cloudflare", METRICS: "off", ...variables });
  const results: Record<string, unknown> = { HMGET: ["7", "1"], HGETALL: ["revision", "7"] };
  fetched.redis.mockImplementation(async (_url, [command = ""]) =>
    Response.json({ result: results[command] }),
  );
  for (let second = 0; second < 3_600; second++) {
    await ask("/uncovered");
    await vi.advanceTimersByTimeAsync(1_000);
  }
  const counts: Record<string, number> = {};
  for (const [, [command = ""]] of fetched.redis.mock.calls) {
    counts[command] = (counts[command] ?? 0) + 1;
  }
  return counts;
}

/** Whether the store keeps its data is asked once, after the first read. */
const ONCE = { INFO: 1, CONFIG: 1 };

test.each([
  // Two more for the revision that it does not know at first.
  [{ LIVE_REFRESH: "10s" }, { HMGET: 360, HGETALL: 2, ...ONCE }],
  [{ LIVE_REFRESH: "1m" }, { HMGET: 60, HGETALL: 2, ...ONCE }],
  [{}, {}],
])(
  "live rules that do not change cost an isolate with %j in an hour %j",
  async (variables, commands) => {
    expect(await commandsOfAnHour(variables)).toEqual(commands);
  },
);
