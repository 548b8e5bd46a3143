import { Redis } from "ioredis";
import { expect, onTestFinished, test, vi } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { startRedisCluster } from "../support/redis-cluster.ts";
import { ask, result, token } from "../support/redis-rest/harness.ts";

const PASSWORD = "a/b#c?d@e,f%20g";

/** Makes the server ask everybody for a login, and lets in one user, who has these rights besides the keys. */
async function restrict(url: string, user: string, ...rights: readonly string[]) {
  const admin = new Redis(url);
  const commands = ["-@all", "+ping", "+info", "+get", "+set", ...rights];
  await admin.call("ACL", "SETUSER", user, "on", `>${PASSWORD}`, "~*", ...commands);
  await admin.call("ACL", "SETUSER", "default", "off");
  admin.disconnect();
}

const userAt = (user: string, url: string, password = "") =>
  url.replace(
    "//",
    `//${encodeURIComponent(user)}${password && `:${encodeURIComponent(password)}`}@`,
  );

test.for([
  { user: "limiter", inAddress: "", inEnvironment: PASSWORD },
  { user: "limiter", inAddress: PASSWORD, inEnvironment: undefined },
  { user: "a/b:c@d%e", inAddress: "", inEnvironment: PASSWORD },
  { user: "limiter", inAddress: PASSWORD, inEnvironment: "another's" },
])(
  "logs in as $user, password in the address: $inAddress, beside it: $inEnvironment",
  async (at) => {
    const { user, inAddress, inEnvironment: password } = at;
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    await restrict(server.url, user);
    const warn = vi.spyOn(console, "warn");
    onTestFinished(() => warn.mockRestore());
    const redis = userAt(user, server.url, inAddress);
    const bridge = await startBridge({ redis, port: 0, token, ...(password && { password }) });
    onTestFinished(() => bridge.close());
    expect(await ask(bridge, ["SET", "k", "v"])).toEqual(result("OK"));
    expect(await ask(bridge, ["DEL", "k"])).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^NOPERM /) },
    });
    expect(warn).not.toHaveBeenCalled();
  },
);

test.for([
  { inAddress: "", inEnvironment: PASSWORD },
  { inAddress: PASSWORD, inEnvironment: undefined },
])("logs in on each node of a cluster, password in the address: $inAddress", async (at) => {
  const { inAddress, inEnvironment: password } = at;
  const cluster = await startRedisCluster({ masters: 3 });
  onTestFinished(() => cluster.stop());
  const rights = ["+cluster|slots", "+cluster|info"];
  await Promise.all(cluster.urls.map((url) => restrict(url, "limiter", ...rights)));
  // The client learns the addresses of the others from the first.
  const redis = userAt("limiter", cluster.urls[0]!, inAddress);
  const options = { redis, port: 0, token, cluster: true, ...(password && { password }) };
  const bridge = await startBridge(options);
  onTestFinished(() => bridge.close());
  const keys = Array.from({ length: 30 }, (_, i) => `k${i}`);
  const answers = await Promise.all(keys.map((key) => ask(bridge, ["SET", key, "v"])));
  expect(answers).toEqual(keys.map(() => result("OK")));
});
