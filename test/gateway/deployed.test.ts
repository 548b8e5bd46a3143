import { type IncomingMessage, type ServerResponse } from "node:http";

import { describe, expect, test } from "vitest";

import { useDeployed } from "./deployed.ts";
import { words } from "./origins/spellings.ts";

const gateway = useDeployed();

/** Answers with the request as the origin saw it. */
function mirror(asked: IncomingMessage, response: ServerResponse): void {
  const { method, url, headersDistinct: fields } = asked;
  let body = "";
  asked.on("data", (chunk) => (body += chunk));
  asked.on("end", () => response.end(JSON.stringify({ method, url, fields, body })));
}

async function mirrored(...ask: Parameters<typeof gateway.ask>) {
  gateway.answer(mirror);
  const { status, bytes } = await gateway.ask(...ask);
  expect([status, bytes.toString()]).toEqual([200, expect.any(String)]);
  return JSON.parse(bytes.toString()) as {
    method: string;
    url: string;
    fields: Record<string, string[]>;
    body: string;
  };
}

describe("in workerd, a request reaches the origin", () => {
  test.each(
    words(
      "/ /a? /a??b=c&d=%2f+%20 //evil.example/x /a//b/// /a%2fb%2Fc%2541 /%7eada/~ada/%41 /a;v=1/b,c;d /a!$&'()*+=:@-._ /%e4%BD%a0/%ff/%zz/%",
    ),
  )("byte for byte: %s", async (target) => {
    expect((await mirrored(target)).url).toBe(target);
  });

  test("with its dots resolved, which the rules know of", async () => {
    const headers = { "x-test": crypto.randomUUID() };
    expect((await mirrored("/x/../once/./y/%2e%2e/z", { headers })).url).toBe("/once/z");
    const { status } = await gateway.ask("/once/z", { headers });
    expect(status).toBe(429);
  });

  test("without the fields of the hop, and with those of the front", async () => {
    const { fields } = await mirrored("/x", {
      headers: {
        Host: "shop.example",
        Connection: "close, X-Hop, X-Forwarded-For",
        "X-Hop": "1",
        "X-Kept": "1",
        "X-Forwarded-For": "192.0.2.1",
        "X-Forwarded-Host": "evil.example",
        "Keep-Alive": "timeout=5",
        "Proxy-Connection": "keep-alive",
        TE: "trailers",
        Upgrade: "h2c",
      },
    });
    expect(fields).toMatchObject({
      host: [expect.stringMatching(/^127\.0\.0\.1:\d+$/)],
      // Miniflare says that the client is at its own address, as Cloudflare says it.
      "x-forwarded-for": ["127.0.0.1"],
      "x-forwarded-host": ["shop.example"],
      "x-forwarded-proto": ["http"],
      "x-kept": ["1"],
    });
    const hop = ["x-hop", "keep-alive", "proxy-connection", "te", "upgrade"];
    expect(hop.filter((name) => name in fields)).toEqual([]);
  });
});

describe("in workerd, a response reaches the client", () => {
  test("with its cookies, its policies and its redirect, which was not followed", async () => {
    gateway.answer((_asked, response) => {
      response.writeHead(302, {
        Location: "/elsewhere",
        "Set-Cookie": ["a=1", "b=2"],
        "RateLimit-Policy": '"theirs";q=5;w=6',
      });
      response.end("moved");
    });
    const { status, headers, bytes } = await gateway.ask("/x");
    expect([status, headers.location, bytes.toString()]).toEqual([302, "/elsewhere", "moved"]);
    expect(headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    expect(headers["ratelimit-policy"]).toBe('"theirs";q=5;w=6, "all";q=1000000;w=2592000');
  });

  test("as 502 when the origin breaks off, without a word on why", async () => {
    gateway.answer((asked) => asked.socket.destroy());
    const { status, headers, bytes } = await gateway.ask("/x");
    expect([status, headers["content-type"]]).toEqual([502, "application/problem+json"]);
    expect(JSON.parse(bytes.toString())).toEqual({
      type: "about:blank",
      title: "Bad Gateway",
      status: 502,
      detail: "The origin did not answer.",
    });
  });
});

describe("in workerd, requests at once", () => {
  test("share the count and no other state", async () => {
    gateway.answer(mirror);
    const headers = { "x-test": crypto.randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => gateway.ask("/thirty", { headers })),
    );
    for (const code of [200, 429]) {
      expect(answers.filter(({ status }) => status === code)).toHaveLength(30);
    }
    const reasons = answers.map(({ headers }) => headers["x-ratelimit-reason"]);
    expect(reasons).not.toContain("store-unavailable");
  });

  test("all hear of the gateway's health, none waits for another one's look", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => gateway.ask("/_tidegate/health")),
    );
    const [said, ...others] = new Set(answers.map(({ bytes }) => bytes.toString()));
    expect(others).toEqual([]);
    expect(JSON.parse(said!)).toMatchObject({ status: "ok", store: "redis", breaker: "closed" });
  });
});
