import { once } from "node:events";
import { createServer } from "node:net";

import { expect, test } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";

test("a free port is none that a system would give to another program", async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(10_000);
    expect(port).toBeLessThan(32_768);
    const server = createServer();
    await once(server.listen(port, "127.0.0.1"), "listening");
    server.close();
  }
});
