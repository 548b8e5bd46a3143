import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";

import { serve } from "@hono/node-server";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";

import { admin } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway.ts";
import { type Origin, quota, startOrigin } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN, liveVariables } from "../support/live/live-gateway.ts";
import { useDeployed } from "./deployed.ts";
import { expectFault } from "./faults.ts";

afterEach(() => void vi.restoreAllMocks());

const ADMIN = "admin.example.com";
const SITE = "www.example.com";

const RULES = [
  { path: "/api/*", partition: ["ip"], policies: [quota("api", 5)], quota: true },
  { path: "/*", partition: ["ip"], policies: [quota("all", 1_000)] },
];

const asAdmin = { authorization: `Bearer ${ADMIN_TOKEN}`, "cf-connecting-ip": "192.0.2.1" };

async function open(variables: object = {}) {
  const origin = await startOrigin();
  const gateway = createGateway(
    {
      ...liveVariables(origin.url, crypto.randomUUID()),
      RULES,
      ADMIN_HOST: ADMIN,
      ASSETS: { fetch: async () => new Response("the page") },
      ...variables,
    },
    { admin },
  );
  return { gateway, origin };
}

/** What answers: the admin API, its page, the origin, or the gateway that has nothing there. */
function kindOf(status: number, text: string): string {
  if (status === 200 && text.includes('"source":"deployed"')) return "admin";
  if (status === 200 && text === "the page") return "page";
  if (status === 200 && text === "origin") return "origin";
  if (status === 200 && text.includes('"policies"')) return "quota";
  if (status === 200 && text.includes('"status":"ok"')) return "ok";
  if (status === 404 && text.includes("The gateway has nothing at this path.")) return "nothing";
  return `${status} ${text}`;
}

const API = "/_tidegate/api/v1/rules";

describe("ADMIN_HOST", () => {
  test.each([
    [SITE, "/", "origin"],
    [SITE, "/api/x", "origin"],
    [SITE, API, "nothing"],
    [SITE, "/_tidegate/", "nothing"],
    [SITE, "/_tidegate", "nothing"],
    [SITE, "/_tidegate/assets/index.js", "nothing"],
    [SITE, "/_tidegate/health", "nothing"],
    [SITE, "/_tidegate/api/v1/nowhere", "nothing"],
    [SITE, "/%5Ftidegate/api/v1/rules", "nothing"],
    [SITE, "//_tidegate/api/v1/rules", "nothing"],
    [SITE, "/x/../_tidegate/api/v1/rules", "nothing"],
    [SITE, "/_tidegate/quota", "quota"],
    [SITE, "/_tidegate/live", "ok"],
    ["10.0.0.7", "/_tidegate/live", "ok"],
    ["10.0.0.7", API, "nothing"],
    [`${ADMIN}.evil.example`, API, "nothing"],
    [`x${ADMIN}`, API, "nothing"],
    [ADMIN, API, "admin"],
    [ADMIN, "/_tidegate/", "page"],
    [ADMIN, "/_tidegate/assets/index.js", "page"],
    [ADMIN, "/_tidegate/health", "ok"],
    [ADMIN, "/_tidegate/live", "ok"],
    [ADMIN, "/_tidegate/quota", "quota"],
    [ADMIN, "/", "nothing"],
    [ADMIN, "/sw.js", "nothing"],
    [ADMIN, "/api/x", "nothing"],
    [ADMIN, "/_tidegate/nowhere", "nothing"],
    [ADMIN, "/_tidegatex", "nothing"],
    [ADMIN, "/%5Ftidegate/x", "nothing"],
    [`${ADMIN}:8443`, API, "admin"],
    [`${ADMIN}.`, API, "admin"],
    [`${ADMIN}.`, "/", "nothing"],
    [ADMIN.toUpperCase(), API, "admin"],
    [ADMIN.toUpperCase(), "/", "nothing"],
  ])("http://%s%s is answered by: %s", async (host, path, kind) => {
    const { gateway, origin } = await open();
    const answer = await gateway.request(`http://${host}${path}`, { headers: asAdmin });
    expect(kindOf(answer.status, await answer.text())).toBe(kind);
    expect(origin.seen).toHaveLength(kind === "origin" ? 1 : 0);
  });

  test.each([
    ["example.com:8443", "example.com:8443", "example.com"],
    ["example.com:8443", "EXAMPLE.com.:8443", "example.com:8444"],
    ["example.com:443", "example.com", "example.com:8443"],
    ["ädmin.example", "xn--dmin-koa.example", "admin.example"],
    ["[2001:DB8::1]:8443", "[2001:db8::1]:8443", "[2001:db8::1]"],
    ["127.0.0.1", "127.0.0.1:3000", "localhost:3000"],
  ])("%s is %s, and not %s", async (ADMIN_HOST, same, other) => {
    const { gateway } = await open({ ADMIN_HOST });
    const kindAt = async (host: string) => {
      const answer = await gateway.request(`http://${host}${API}`, { headers: asAdmin });
      return kindOf(answer.status, await answer.text());
    };
    expect([await kindAt(same), await kindAt(other)]).toEqual(["admin", "nothing"]);
  });

  test.each([
    "https://admin.example.com",
    "admin.example.com/",
    "*.example.com",
    "a b",
    "user@admin.example.com",
    "admin.example.com:x",
    "a,b",
  ])("%s is a fault", (ADMIN_HOST) => {
    const variables = {
      ORIGIN: "https://origin.example",
      CLIENT_IP: "cloudflare",
      STORE: "memory",
      RULES,
      ADMIN_HOST,
    };
    expectFault(variables, "ADMIN_HOST", JSON.stringify(ADMIN_HOST), "shape");
  });

  test("a misspelt name of it is a fault", () => {
    const variables = {
      ORIGIN: "https://origin.example",
      CLIENT_IP: "cloudflare",
      STORE: "memory",
      RULES,
      ADMIN_HOTS: ADMIN,
    };
    expectFault(variables, "ADMIN_HOTS", '"(hidden)"', "unknown-option", "ADMIN_HOST");
  });

  test.each([
    [{ ADMIN_HOST: undefined }, 1],
    [{ ADMIN_HOST: "" }, 1],
    [{ ADMIN_HOST: undefined, ADMIN_TOKEN: undefined, READ_TOKEN: ADMIN_TOKEN }, 1],
    [{ ADMIN_HOST: "any" }, 0],
    [{ ADMIN_HOST: ADMIN }, 0],
    [{ ADMIN_HOST: undefined, ADMIN_TOKEN: undefined }, 0],
  ])("%j makes %i warnings at the start", async (variables, warnings) => {
    const logged = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { gateway } = await open(variables);
    expect(logged.mock.calls.flat()).toEqual(
      Array(warnings).fill(expect.stringMatching(/^tidegate: the administration shares the hosts/)),
    );
    if (!("ADMIN_TOKEN" in variables) && variables.ADMIN_HOST !== ADMIN) {
      const answer = await gateway.request(`http://${SITE}${API}`, { headers: asAdmin });
      expect(kindOf(answer.status, await answer.text())).toBe("admin");
    }
  });

  test("a gateway that limits nothing because of a fault serves no site at the admin's host", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const { gateway, origin } = await open({ ON_ERROR: "pass", RULES: "[" });
    const statusAt = async (host: string, path: string) =>
      (await gateway.request(`http://${host}${path}`, { headers: asAdmin })).status;
    expect([await statusAt(ADMIN, "/sw.js"), await statusAt(ADMIN, API)]).toEqual([404, 503]);
    expect([await statusAt(SITE, "/"), await statusAt(SITE, API)]).toEqual([200, 404]);
    expect(origin.seen).toHaveLength(1);
  });
});

/** Requests as a client writes them, and who answers. */
const WRITTEN: readonly (readonly [what: string, lines: string, kind: string])[] = [
  ["the admin's host", `GET ${API} HTTP/1.1\r\nHost: ${ADMIN}`, "admin"],
  ["the site's host", `GET ${API} HTTP/1.1\r\nHost: ${SITE}`, "nothing"],
  ["the site's page", `GET / HTTP/1.1\r\nHost: ${SITE}`, "origin"],
  ["a page at the admin's host", `GET / HTTP/1.1\r\nHost: ${ADMIN}`, "nothing"],
  ["a port and another case", `GET ${API} HTTP/1.1\r\nHost: ${ADMIN.toUpperCase()}:8443`, "admin"],
  ["a dot at the end", `GET ${API} HTTP/1.1\r\nHost: ${ADMIN}.`, "admin"],
  [
    "the admin's host in fields of proxies",
    `GET ${API} HTTP/1.1\r\nHost: ${SITE}\r\nX-Forwarded-Host: ${ADMIN}\r\nForwarded: host=${ADMIN}\r\nX-Host: ${ADMIN}\r\nX-Original-Host: ${ADMIN}`,
    "nothing",
  ],
  [
    "the site's host in a field of proxies",
    `GET / HTTP/1.1\r\nHost: ${ADMIN}\r\nX-Forwarded-Host: ${SITE}`,
    "nothing",
  ],
];

const partOf = (lines: string) =>
  `${lines}\r\nAuthorization: ${asAdmin.authorization}\r\nCF-Connecting-IP: 192.0.2.1\r\nConnection: close\r\n\r\n`;

async function write(port: number, lines: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(partOf(lines));
  let text = "";
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString("utf8");
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
  const body = text.slice(text.indexOf("\r\n\r\n") + 4);
  // Chunks have their lengths around them.
  return kindOf(status, /transfer-encoding: chunked/i.test(text) ? body.split("\r\n")[1]! : body);
}

describe("ADMIN_HOST on a server of Node", () => {
  async function listen(): Promise<{ port: number; origin: Origin }> {
    const { gateway, origin } = await open();
    const server = serve({ fetch: gateway.fetch, port: 0, hostname: "127.0.0.1" });
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, origin };
  }

  test.each<readonly [what: string, lines: string, kind: string]>([
    ...WRITTEN,
    [
      "an address in the request line, with the same host",
      `GET http://${ADMIN}${API} HTTP/1.1\r\nHost: ${ADMIN}`,
      "admin",
    ],
    [
      "an address of the admin's host, and the site's in the field",
      `GET http://${ADMIN}${API} HTTP/1.1\r\nHost: ${SITE}`,
      "nothing",
    ],
    [
      "an address of the site, and the admin's host in the field",
      `GET http://${SITE}/ HTTP/1.1\r\nHost: ${ADMIN}`,
      "nothing",
    ],
    [
      "an address of the admin's host for a page, and the site's host in the field",
      `GET http://${ADMIN}/ HTTP/1.1\r\nHost: ${SITE}`,
      "nothing",
    ],
    ["dots that lead out", `GET /_tidegate/api/v1/../../../x HTTP/1.1\r\nHost: ${SITE}`, "origin"],
    ["dots that lead in", `GET /x/../_tidegate/api/v1/rules HTTP/1.1\r\nHost: ${SITE}`, "nothing"],
  ])("%s", async (_, lines, kind) => {
    const { port, origin } = await listen();
    expect(await write(port, lines)).toBe(kind);
    expect(origin.seen).toHaveLength(kind === "origin" ? 1 : 0);
  });
});

describe("ADMIN_HOST in workerd", () => {
  const deployed = useDeployed({ ADMIN_HOST: ADMIN, ADMIN_TOKEN, CLIENT_IP: "cloudflare", RULES });

  test.each(WRITTEN)("%s", async (_, lines, kind) => {
    deployed.answer((_request, response) => void response.end("origin"));
    expect(await write(Number(new URL(deployed.url).port), lines)).toBe(kind);
  });
});
