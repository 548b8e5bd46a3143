import { expect, test, vi } from "vitest";

import { generous, startOrigin } from "../support/gateway/gateway.ts";
import { meteredGateways } from "../support/metrics/metered-gateway.ts";

test("requests that the origin does not answer are counted by their outcome", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const origin = await startOrigin((request) => {
    if (request.url === "/dead") request.socket.destroy();
  });
  const variables = { ORIGIN: origin.url, ORIGIN_TIMEOUT: "100ms" };
  const { ask, api } = (
    await meteredGateways([{ ...generous[0], path: "/silent" }], variables)
  ).open();
  for (const [path, status] of [
    ["/silent", 504],
    ["/silent", 504],
    ["/dead", 502],
  ] as const) {
    expect((await ask(path)).status).toBe(status);
  }
  const text = await (await api("/metrics")).text();
  expect(text).toContain('tidegate_origin_failures_total{reason="timeout"} 2\n');
  expect(text).toContain('tidegate_origin_failures_total{reason="unreachable"} 1\n');
  // Each request is still counted once.
  expect(text).toMatch(/tidegate_requests_total\{rule="\S+ \/silent",[^}]*\} 2\n/);
  await ask("/dead");
  const later = await (await api("/metrics")).text();
  expect(later).toContain('tidegate_origin_failures_total{reason="timeout"} 2\n');
  expect(later).toContain('tidegate_origin_failures_total{reason="unreachable"} 2\n');
  warn.mockRestore();
});

test("reads of a replica that fail are counted by their errors, and denials that Redis refutes", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const answers = [
    [401, { error: "WRONGPASS no" }],
    [401, { error: "WRONGPASS no" }],
    [200, { result: [0, 0, 30e6, 60e6] }],
  ] as const;
  let asked = 0;
  const near = await startOrigin((_request, response) => {
    const [status, body] = answers[asked++]!;
    response.writeHead(status).end(JSON.stringify(body));
  });
  const { ask, api } = (
    await meteredGateways([{ ...generous[0], path: "/limited" }], {
      REPLICA_URL: near.url,
      REPLICA_TOKEN: "nearby",
      REPLICA_TIMEOUT: "1s",
    })
  ).open();
  // The first one tells the clock of Redis, the last one comes while the replica is not believed.
  for (let client = 1; client <= 5; client++) {
    expect((await ask("/limited", `192.0.2.${client}`)).status).toBe(200);
  }
  expect(asked).toBe(3);
  const text = await (await api("/metrics")).text();
  expect(text.match(/^tidegate_replica_errors_total.*/gm)).toEqual([
    'tidegate_replica_errors_total{code="ERR_STORE_UNAUTHORIZED"} 2',
    'tidegate_replica_errors_total{code="REFUTED"} 1',
  ]);
  warn.mockRestore();
});
