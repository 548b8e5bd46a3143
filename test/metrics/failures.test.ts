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
