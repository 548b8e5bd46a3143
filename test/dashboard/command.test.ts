import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import type { IncomingHttpHeaders, Server } from "node:http";
import type { AddressInfo } from "node:net";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type DashboardServer, serveDashboard } from "../../packages/cli/src/dashboard-server.ts";
import { buildDashboard } from "../../scripts/build-dashboard/build.ts";
import { openBrowser } from "./browser.ts";

const TOKEN = "the-token-of-these-tests";

/** The requests that the gateway got. */
let got: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
let gateway: Server;
let server: DashboardServer;

beforeAll(async () => {
  await buildDashboard();
  gateway = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "", url = "", headers } = request;
    got.push({ method, url, headers, body });
    if (url.endsWith("/endless")) {
      const more = () => void (response.destroyed || response.write(Buffer.alloc(1_000_000), more));
      more();
      return;
    }
    if (url.endsWith("/silent")) return;
    if (url.endsWith("/elsewhere")) response.writeHead(302, { location: "http://192.0.2.1/" });
    else if (/\/(?:stats|top)\?/.test(url)) response.writeHead(404);
    else response.writeHead(200, { "content-type": "application/json", etag: '"3"' });
    response.end(
      url.endsWith("/health")
        ? '{"status":"ok","store":"redis","role":"admin","live":{"version":3}}'
        : "{}",
    );
  }).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  server = await serve(5_000);
});

function serve(timeoutMs: number, ownPort?: number): Promise<DashboardServer> {
  const { port } = gateway.address() as AddressInfo;
  return serveDashboard({ url: `http://127.0.0.1:${port}`, token: TOKEN, timeoutMs }, ownPort);
}

afterAll(async () => {
  await server?.stop();
  gateway?.close();
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In place of the one below the secret path. */
  readonly path?: string;
}

/** Node's own client, because `fetch` does not let a test choose the fields that matter here. */
async function send(below: string, { method = "GET", headers = {}, body, path }: Asked = {}) {
  const { hostname, port, pathname } = new URL(server.url);
  const request = ask({ hostname, port, method, path: path ?? pathname + below, headers });
  request.end(body);
  const [response] = (await once(request, "response")) as [import("node:http").IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, text };
}

test("the page knows that it need not ask for the token, and does not have it", async () => {
  const { status, headers, text } = await send("");
  expect(status).toBe(200);
  expect(text).toContain('<meta name="tidegate-token" content="held"');
  expect(text).not.toContain(TOKEN);
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
  const [, script] = /src="(assets\/[^"]+)"/.exec(text)!;
  const file = await send(script!);
  expect([file.status, file.headers["content-type"]]).toEqual([
    200,
    "text/javascript; charset=utf-8",
  ]);
  const [, later] = /import\("\.\/([\w-]+\.js)"\)/.exec(file.text)!;
  const editor = await send(`assets/${later}`);
  expect([editor.status, editor.headers["content-type"]]).toEqual([
    200,
    "text/javascript; charset=utf-8",
  ]);
});

test("its request goes on with the token, and the answer comes back", async () => {
  got = [];
  const { status, headers, text } = await send("api/v1/rules?note=a", {
    method: "PUT",
    headers: { "content-type": "application/json", "if-match": '"2"', cookie: "a=1" },
    body: '{"rules":[]}',
  });
  expect([status, headers["etag"], text]).toEqual([200, '"3"', "{}"]);
  const [{ method, url, headers: sent, body }] = got as [(typeof got)[0]];
  expect([method, url, body]).toEqual(["PUT", "/_tidegate/api/v1/rules?note=a", '{"rules":[]}']);
  expect([sent.authorization, sent["if-match"], sent.cookie]).toEqual([
    `Bearer ${TOKEN}`,
    '"2"',
    undefined,
  ]);
});

describe("refused", () => {
  test.each<[string, string, Asked, number]>([
    ["another name for this machine", "", { headers: { host: "evil.example" } }, 403],
    ["localhost by name", "", { headers: { host: "localhost" } }, 403],
    [
      "a page of another site",
      "api/v1/rules",
      { headers: { "sec-fetch-site": "cross-site" } },
      403,
    ],
    ["a page of another port", "api/v1/rules", { headers: { "sec-fetch-site": "same-site" } }, 403],
    ["another origin", "api/v1/rules", { headers: { origin: "http://evil.example" } }, 403],
    ["no secret", "", { path: "/" }, 404],
    ["another secret", "", { path: `/${"x".repeat(32)}/api/v1/rules` }, 404],
    ["a file elsewhere", "../package.json", {}, 404],
    ["a file above", "assets/../../../package.json", {}, 404],
    ["a path of the gateway that is not the API", "health", {}, 404],
    ["a large body", "api/v1/rules", { method: "PUT", body: "x".repeat(1_000_001) }, 413],
    ["a redirection", "api/v1/elsewhere", {}, 502],
    ["an endless answer", "api/v1/endless", {}, 502],
  ])("%s", async (_what, below, asked, expected) => {
    got = [];
    const { status, text } = await send(below, asked);
    expect(status).toBe(expected);
    expect(text).not.toContain(TOKEN);
    expect(got).toHaveLength(expected === 502 ? 1 : 0);
  });

  test("a path that leads out of the API", async () => {
    got = [];
    for (const path of ["api/v1/../../../other", "api/v1/%2e%2e/%2e%2e/live", "api/v1/..\\..\\x"]) {
      expect((await send(path)).status).toBe(404);
    }
    expect(got).toEqual([]);
  });
});

test("a gateway that is silent is a 502 after the timeout, and holds no end up", async () => {
  got = [];
  const hasty = await serve(50);
  const { status } = await fetch(`${hasty.url}api/v1/silent`);
  expect(status).toBe(502);
  await hasty.stop();
  const patient = await serve(600_000);
  const asked = fetch(`${patient.url}api/v1/silent`).catch(() => "cut off");
  await expect.poll(() => got.filter(({ url }) => url.endsWith("/silent"))).toHaveLength(2);
  await patient.stop();
  expect(await asked).toBe("cut off");
});

test("it has the port that is asked for, and says if another program has it", async () => {
  const { port } = new URL(server.url);
  await expect(serve(5_000, Number(port))).rejects.toThrow(
    `Another program listens on port ${port}: give --port another one.`,
  );
  const first = await serve(5_000);
  const own = Number(new URL(first.url).port);
  await first.stop();
  const second = await serve(5_000, own);
  expect(new URL(second.url).port).toBe(String(own));
  expect((await fetch(second.url)).status).toBe(200);
  await second.stop();
});

test("a browser opens it without asking for a token", async () => {
  const browser: Browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByText("Redis answers").waitFor();
    expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(0);
  } finally {
    await browser.close();
  }
});
