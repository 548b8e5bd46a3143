import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";

import { serve } from "@hono/node-server";
import { expect, onTestFinished, test } from "vitest";

import { admin } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway.ts";
import { documentOf } from "../support/admin/administered.ts";
import { ADMIN_TOKEN, liveVariables } from "../support/live/live-gateway.ts";
import { type Answer, type Ask, askAdmin } from "./ask.ts";
import { faultAt } from "./rules.ts";

const IF_MATCH = { "If-Match": '"0"' };
const put = (ask: Ask, body: unknown, headers = {}): Promise<Answer> =>
  ask("/rules", { method: "PUT", body, headers: { ...IF_MATCH, ...headers } });

const NO_DOCUMENT = "Send the document: a JSON object with rules.";
const TWICE = "The body has a name twice in one object: line 1, column";
const DEEP = "The body has more than 32 levels: line 1, column";

test.for([
  [400, NO_DOCUMENT, ""],
  [400, NO_DOCUMENT, "[]"],
  [400, NO_DOCUMENT, "null"],
  [400, NO_DOCUMENT, `"${"a".repeat(899_998)}"`],
  [413, "Send at most 900000 bytes.", `"${"a".repeat(899_999)}"`],
  [400, "The body is not JSON: line 1, column 11.", '{"rules": NaN}'],
  [400, "The body is not JSON: line 2, column 13.", '{\n  "rules": [}\n'],
  [400, "The body is not JSON: it ends too early.", '{"rules":'],
  [400, `${TWICE} 15.`, '{"rules": [], "rules": []}'],
  [400, `${TWICE} 24.`, '{"rules":[{"path":"/a","p\\u0061th":"/b"}]}'],
  [400, `${DEEP} 41.`, `{"rules":${"[".repeat(40)}${"]".repeat(40)}}`],
  [400, `${DEEP} 33.`, `${"[".repeat(400_000)}${"]".repeat(400_000)}`],
  [400, `${DEEP} 161.`, `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
] as const)("a body is answered with %s as %s", async ([status, detail, body]) => {
  const answer = await put(askAdmin(), body);
  expect([answer.status, answer.body.detail]).toEqual([status, detail]);
});

test("a body that is not UTF-8 is refused, and so is one that ends amid a character", async () => {
  const sound = [...new TextEncoder().encode(JSON.stringify(documentOf(1)))];
  for (const bytes of [
    [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d],
    [...sound, 0xc3],
  ]) {
    const { status, body } = await put(askAdmin(), new Uint8Array(bytes));
    expect([status, body.detail]).toEqual([400, "The body is not UTF-8, or ended before its end."]);
  }
});

test("a body without an end is read to 16 MiB beyond its bound, and then let go", async () => {
  let chunks = 0;
  let isLetGo = false;
  const endless = new ReadableStream({
    cancel: () => void (isLetGo = true),
    pull(controller) {
      chunks++;
      controller.enqueue(new Uint8Array(100_000).fill(32));
    },
  });
  expect((await put(askAdmin(), endless)).status).toBe(413);
  expect([chunks < 180, isLetGo]).toEqual([true, true]);
});

test("after a body that is too large, the next request on its connection is answered", async () => {
  const variables = liveVariables("http://127.0.0.1:1", crypto.randomUUID());
  const gateway = createGateway(variables, { admin });
  const server = serve({ fetch: gateway.fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  async function answerTo(method: string, path: string, body: string, chunked: boolean) {
    const sent = request({
      agent,
      port,
      method,
      path: `/_tidegate/api/v1${path}`,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        "content-type": "application/json",
        "if-match": '"0"',
        [chunked ? "transfer-encoding" : "content-length"]: chunked ? "chunked" : body.length,
      },
    });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    return [response.statusCode, sent.reusedSocket];
  }
  const answers = [await answerTo("GET", "/health", "", false)];
  for (const chunked of [false, true]) {
    for (const [method, path, bytes] of [
      ["PUT", "/rules", 900_001],
      ["POST", "/explain", 3_000_000],
      ["PUT", "/rules", 10_000_000],
    ] as const) {
      answers.push(await answerTo(method, path, "x".repeat(bytes), chunked));
      answers.push(await answerTo("GET", "/health", "", false));
    }
  }
  const [first, ...others] = answers;
  expect(first).toEqual([200, false]);
  expect(others).toEqual(Array.from({ length: 12 }, (_, i) => [i % 2 ? 200 : 413, true]));
});

test("a body is JSON, and says so", async () => {
  const ask = askAdmin();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""]) {
    const answer = await put(ask, documentOf(1), { "content-type": type });
    expect([type, answer.status]).toEqual([type, 415]);
  }
  const charset = { "content-type": "Application/JSON; charset=utf-8" };
  expect((await put(ask, documentOf(1), charset)).status).toBe(200);
});

test("names that every object inherits are names as any other", async () => {
  const ask = askAdmin();
  const plans = (names: string) =>
    `{"rules":${JSON.stringify(documentOf(9).rules)},"plans":{"gold":{"rides":{"limit":1}}${names}}}`;
  expect((await put(ask, plans(""))).status).toBe(200);
  const inherited = ',"constructor":{"rides":{"limit":2}},"toString":{"rides":{"limit":3}}';
  const answer = await put(ask, plans(inherited), { "If-Match": '"1"' });
  expect([answer.status, answer.body.changes]).toEqual([
    200,
    [
      { type: "added", path: "plans.constructor", after: { rides: { limit: 2 } } },
      { type: "added", path: "plans.toString", after: { rides: { limit: 3 } } },
    ],
  ]);
  const { changes } = (await put(ask, plans(""), { "If-Match": '"2"' })).body;
  expect(changes.map(({ type }: { type: string }) => type)).toEqual(["removed", "removed"]);
  const polluting = `{"__proto__":{"polluted":1},"rules":[{"__proto__":{"polluted":1}}]}`;
  await put(ask, polluting);
  await ask("/explain", { method: "POST", body: '{"__proto__":{"polluted":1},"path":"/"}' });
  await ask("/lists/deny", { method: "PUT", body: '{"__proto__":{"polluted":1},"asn":1}' });
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test("numbers that grow when they are kept do not make a document too large for Redis", async () => {
  const plans = Array.from({ length: 60_000 }, (_, i) => `"p${i}":1e20`).join(",");
  const ask = askAdmin({ checkDocument: () => [] });
  expect(plans.length).toBeLessThan(890_000);
  expect((await put(ask, `{"rules":[],"plans":{${plans}}}`)).status).toBe(413);
});

test("a document of the largest size is published, read, and rolled back", async () => {
  const ask = askAdmin({ checkDocument: () => [] });
  const empty = '{"rules":[],"plans":"é"}';
  const largest = empty.replace("é", `é\u2028\u{1f600}${"x".repeat(900_000 - 25 - 7)}`);
  expect(new TextEncoder().encode(largest).length).toBe(900_000);
  expect((await put(ask, largest)).status).toBe(200);
  expect(JSON.stringify((await ask("/rules")).body.document)).toBe(largest);
  await put(ask, documentOf(1), { "If-Match": '"1"' });
  expect((await ask("/rules/rollback", { method: "POST" })).status).toBe(200);
  expect(JSON.stringify((await ask("/rules")).body.document)).toBe(largest);
  expect((await ask("/rules/history")).body.versions).toHaveLength(3);
  expect((await ask("/audit")).text.length).toBeLessThan(10_000);
});

test("a note is bounded, and may have any characters", async () => {
  const ask = askAdmin();
  const note = `,"document":{"rules":[]} "'\\ ${String.fromCharCode(0)} \u2028 é \u{1f600}`;
  const asked = { method: "PUT", body: documentOf(1), headers: IF_MATCH };
  expect((await ask(`/rules?note=${"a".repeat(201)}`, asked)).status).toBe(400);
  expect((await ask(`/rules?note=${encodeURIComponent(note)}`, asked)).status).toBe(200);
  expect((await ask("/rules/history")).body.versions[0].note).toBe(note);
  expect((await ask("/rules")).body.by).toMatch(/^admin:/);
});

test.for([
  [{}, "path"],
  [{ path: "rides" }, "path"],
  [{ path: "/a b" }, "path"],
  [{ path: `/${"a".repeat(9_000)}` }, "path"],
  [{ path: "/", method: "get" }, "method"],
  [{ path: "/", headers: { "a b": "1" } }, "headers.a b"],
  [{ path: "/", headers: { authorization: "Bearer secret\r\nx: y" } }, "headers.authorization"],
  [{ path: "/", header: { Authorization: "Bearer secret" } }, "header"],
  [{ path: "/", ip: "nowhere" }, "ip"],
  [{ path: "/", country: "ch" }, "country"],
  [{ path: "/", asn: 0 }, "asn"],
  [{ path: "/", cost: 1 }, "cost"],
] as const)("a request described as %o is faulty at %s", async ([body, path]) => {
  const ask = askAdmin();
  for (const to of ["/explain", "/identities/reset"]) {
    const answer = await ask(to, { method: "POST", body });
    expect([answer.status, answer.body.errors]).toEqual([422, [faultAt(path)]]);
    expect(answer.text).not.toContain("secret");
  }
});

test("a body that is no document is small", async () => {
  const body = { path: "/", headers: { a: "a".repeat(70_000) } };
  expect((await askAdmin()("/explain", { method: "POST", body })).status).toBe(413);
});
