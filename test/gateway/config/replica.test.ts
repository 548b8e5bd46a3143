import { expect, test, vi } from "vitest";

import { faultsOf } from "../faults.ts";
import { useFetched, VARIABLES } from "../fetched.ts";

// As at the edge, where a test can answer in the place of the origin.
vi.mock(
  "../../../src/gateway/proxy/node/forward.ts",
  () => import("../../../src/gateway/proxy/forward.ts"),
);

const { gateway, redis } = useFetched();

const replica = { REPLICA_URL: "https://near.example", REPLICA_TOKEN: "secret" };

test.each([
  [replica, []],
  [{ ...replica, REPLICA_TIMEOUT: "20ms" }, []],
  // As some platforms have variables that are not set.
  [{ REPLICA_URL: "", REPLICA_TOKEN: "" }, []],
  [{ ...replica, REPLICA_TOKEN: "" }, [["REPLICA_TOKEN", "shape", "missing"]]],
  [{ REPLICA_URL: "https://near.example" }, [["REPLICA_TOKEN", "shape", "missing"]]],
  [{ REPLICA_TOKEN: "secret" }, [["REPLICA_URL", "shape", "missing"]]],
  [
    { ...replica, REPLICA_URL: "redis://near.example" },
    [["REPLICA_URL", "shape", '"redis://near.example"']],
  ],
  [{ ...replica, REPLICA_TOKEN: "Bearer x" }, [["REPLICA_TOKEN", "shape", '"(hidden)"']]],
  [{ ...replica, STORE: "memory" }, [["REPLICA_URL", "unsupported", '"(an address)"']]],
])("%j", (variables, faults) => {
  const found = faultsOf({ ...VARIABLES, ...variables });
  expect(found.map(({ path, code, value }) => [path, code, value])).toEqual(faults);
});

test.each(["0ms", "2s", "soon"])("a REPLICA_TIMEOUT of %s is a fault", (timeout) => {
  const faults = faultsOf({ ...VARIABLES, ...replica, REPLICA_TIMEOUT: timeout });
  expect(faults.map(({ path }) => path)).toContain("REPLICA_TIMEOUT");
});

test("the replica denies in the place of Redis, once Redis has denied the same", async () => {
  const near = "https://near.example";
  const rows = { roomy: [1, 5, 0, 0], spent: [0, 0, 30e6, 60e6] };
  const spent = ["a", "b"];
  let asking = "";
  redis.mockImplementation(async (url, command) => {
    if (command.includes("reset")) return Response.json({ result: [1.8e15] });
    const isSpent = spent.includes(asking);
    const row = isSpent ? rows.spent : rows.roomy;
    return Response.json({ result: url === near ? row : [1.8e15, ...row] });
  });
  const rule = {
    path: "/*",
    partition: ["header:x-user"],
    policies: [{ algorithm: "fixed-window", name: "api", limit: 6, window: "1h" }],
  };
  const get = gateway({ ...replica, RULES: [rule] });
  const asked: string[] = [];
  for (const user of ["known", ...spent, "known", "new"]) {
    const before = redis.mock.calls.length;
    asking = user;
    const { status } = await get("/", { headers: { "x-user": user } });
    const calls = redis.mock.calls
      .slice(before)
      .map(([url, [name]]) => `${new URL(url).host} ${name}`);
    asked.push(`${user} ${status}: ${calls.join(", ")}`);
  }
  expect(asked).toEqual([
    "known 200: redis.example EVALSHA",
    // The last one finds out whether Redis is a cluster.
    "a 429: near.example EVALSHA_RO, redis.example EVALSHA, redis.example EVALSHA",
    "b 429: near.example EVALSHA_RO",
    "known 200: redis.example EVALSHA",
    "new 200: near.example EVALSHA_RO, redis.example EVALSHA",
  ]);
});
