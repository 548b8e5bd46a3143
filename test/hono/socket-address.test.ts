import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";

import {
  afterEach,
  beforeEach,
  describe,
  expect,
  type MockInstance,
  onTestFinished,
  test,
  vi,
} from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import type { RateLimitOptions } from "../../src/hono.ts";
import { header } from "../../src/index.ts";
import { fixedWindow, memoryStore } from "../../src/index.ts";
import { rateLimit as vercelRateLimit } from "../../src/vercel.ts";
import { appOf as helloApp } from "./app.ts";

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

interface App {
  fetch(request: Request, bindings: object): Response | Promise<Response>;
}

/** Serves an app on Node as @hono/node-server does, which hands it Node's request as a binding. */
async function serve(app: App): Promise<(from: string) => Promise<number>> {
  const server = createServer(async (incoming: IncomingMessage, outgoing) => {
    const asked = new Request("http://localhost/", { headers: incoming.headers as never });
    const response = await app.fetch(asked, { incoming, outgoing });
    outgoing.writeHead(response.status).end(await response.text());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return (localAddress) =>
    new Promise((resolve, reject) => {
      // Fields in which a client names itself change nothing.
      const headers = { "x-forwarded-for": crypto.randomUUID(), "cf-connecting-ip": "192.0.2.1" };
      request({ host: "127.0.0.1", port, localAddress, headers }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode!));
      })
        .on("error", reject)
        .end();
    });
}

const policies = [fixedWindow({ name: "hourly", limit: 2, window: "1h" })];

const appOf = (options: Partial<RateLimitOptions>) =>
  helloApp({ policies, partition: ["ip"], ...options });

describe('clientIp "socket"', () => {
  test("counts clients on Node by the address of their connection", async () => {
    const ask = await serve(appOf({ clientIp: "socket" }));
    const statuses = [];
    for (const from of ["127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.2"]) {
      statuses.push(await ask(from));
    }
    expect(statuses).toEqual([200, 200, 429, 200, 200]);
    expect(warn).not.toHaveBeenCalled();
  });

  test("does so in the gateway", async () => {
    const gateway = createGateway({
      ORIGIN: "http://127.0.0.1:1",
      STORE: "memory",
      CLIENT_IP: "socket",
      RULES: [
        { path: "/", policies: [{ algorithm: "fixed-window", name: "p", limit: 1, window: "1h" }] },
      ],
    });
    const ask = await serve(gateway);
    expect([await ask("127.0.0.1"), await ask("127.0.0.1"), await ask("127.0.0.2")]).toEqual([
      502, 429, 502,
    ]);
  });

  test("has no identity without a socket, and that is logged once", async () => {
    const app = appOf({ clientIp: "socket" });
    expect((await app.request("/")).status).toBe(200);
    expect((await app.request("/", {}, { incoming: { socket: {} } })).status).toBe(200);
    expect((await app.request("/")).status).toBe(429);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test("is a fault where no socket can be", () => {
    const fault = 'has a fault:\n  clientIp: "socket": ';
    const vercel = { store: memoryStore(), policies, clientIp: "socket" };
    expect(() => vercelRateLimit(vercel as never)).toThrow(fault);
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    expect(() => appOf({ clientIp: "socket" })).toThrow(fault);
  });
});

describe("requests without identity that share one count", () => {
  const ask = async (app: ReturnType<typeof appOf>, times: number) => {
    for (let i = 0; i < times; i++) await app.request("/");
  };

  test("are reported once for each limiter, with a remedy", async () => {
    const app = appOf({ clientIp: "cloudflare", partition: [header("x-api-key"), "ip"] });
    await app.request("/", { headers: { "x-api-key": "k" } });
    expect(warn).not.toHaveBeenCalled();
    await ask(app, 5);
    expect(warn).toHaveBeenCalledTimes(1);
    const [message] = warn.mock.calls[0]!;
    expect(message).toMatch(/^tidegate: a request has none of header:x-api-key, ip: /);
    for (const part of ['"socket"', '"cloudflare"', '"vercel"', "trustedHops", "onMissing"]) {
      expect(message).toContain(part);
    }
    await ask(appOf({ clientIp: "cloudflare" }), 3);
    expect(warn).toHaveBeenCalledTimes(2);
  });

  test("are reported where a function returns no identity", async () => {
    await ask(appOf({ partition: () => undefined }), 2);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^tidegate: the partition function returned no identity: /),
    );
  });

  test("are not where that was asked for, or the request refused", async () => {
    // Of a source that no other test reports.
    const partition = [header("x-shared")] as const;
    await ask(appOf({ partition, onMissing: "share" }), 2);
    await ask(appOf({ partition, onMissing: "reject" }), 2);
    expect(warn).not.toHaveBeenCalled();
  });
});
