import { expect, onTestFinished, test, vi } from "vitest";

import { gatewayTo, quota } from "../../support/gateway/gateway.ts";

/** Rules that all cover a request, with two policies each. */
const RULES = Array.from({ length: 10 }, (_, i) => ({
  path: "/*",
  partition: ["header:x-api-key", "ip"],
  policies: [
    quota(`key${i}`, 1),
    { ...quota(`both${i}`, 1), partition: [["ip", "header:x-api-key"], "ip"] },
    { ...quota(`session${i}`, 1), partition: ["cookie:session", "query:user", "ip"] },
    { ...quota(`everybody${i}`, 1), partition: "*" },
  ],
}));

test.each([
  ["header", { "x-api-key": '"'.repeat(1_000) }, ""],
  ["cookie", { cookie: `session=${"%22".repeat(1_000)}` }, ""],
  ["parameter", {}, `?user=${"+a".repeat(1_000)}`],
])(
  "a %s is hashed once for each request, however many policies count by it",
  async (_, headers, query) => {
    const digest = vi.spyOn(crypto.subtle, "digest");
    onTestFinished(() => digest.mockRestore());
    const ask = gatewayTo("http://127.0.0.1:1", RULES);
    vi.spyOn(console, "warn").mockReturnValue();
    // The second one is denied, so that no origin is asked.
    await ask("/x");
    digest.mockClear();
    const { status } = await ask(`/x${query}`, { headers });
    expect(status).toBe(429);
    expect(digest).toHaveBeenCalledTimes(1);
  },
);
