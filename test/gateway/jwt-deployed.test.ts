import { afterEach, describe, expect, inject, onTestFinished, test } from "vitest";

import { startWorker, type Worker } from "../../scripts/local-stack/worker.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import {
  AUDIENCE,
  claimsWith,
  ISSUER,
  type Issuer,
  startIssuer,
  unsigned,
} from "../support/jwt/issuer.ts";

let worker: Worker | undefined;
afterEach(() => worker?.stop());

/** The gateway in workerd, as it is deployed: there, no request may wait for the work of another one. */
async function deploy(
  issuer: Issuer,
): Promise<(token?: string, init?: RequestInit) => Promise<number>> {
  const origin = await startOrigin();
  const log: string[] = [];
  worker = await startWorker({
    variables: {
      ORIGIN: origin.url,
      UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      TIMEOUT: "10s",
      PREFIX: crypto.randomUUID(),
      JWT: { jwks: issuer.jwks, issuer: ISSUER, audience: AUDIENCE },
      RULES: [
        {
          path: "/*",
          policies: [{ ...quota("user", 1), partition: ["jwt:sub"] }],
          onMissing: "reject",
        },
      ],
    },
    onLog: ({ message }) => log.push(message),
  });
  // Workers log such a warning where one request resolves a promise of another, and end a request that hangs for it.
  onTestFinished(() =>
    expect(log.filter((line) => /different request|hang/.test(line))).toEqual([]),
  );
  const { url } = worker;
  return async (token, init) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { status, body } = await fetch(url, { ...init, headers });
    await body?.cancel();
    return status;
  };
}

describe("the deployed gateway", () => {
  test("counts by verified claims alone", async () => {
    const issuer = await startIssuer("ES256");
    const ask = await deploy(issuer);
    const statuses = [];
    for (const token of [
      await issuer.sign(),
      await issuer.sign({ jti: "2" }),
      unsigned({ alg: "none" }, claimsWith({ sub: "eve" }), "AA"),
      await issuer.sign({ sub: "eve", aud: "x" }),
      undefined,
      await issuer.sign({ sub: "eve" }),
    ]) {
      statuses.push(await ask(token));
    }
    expect(statuses).toEqual([200, 429, 400, 400, 400, 200]);
    expect(issuer.asked).toBe(1);
  });

  test("reads the keys once for all requests that wait for them", async () => {
    const issuer = await startIssuer();
    issuer.answer((_, response) => {
      setTimeout(() => response.end(JSON.stringify({ keys: issuer.publicKeys })), 300);
    });
    const ask = await deploy(issuer);
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, i) => issuer.sign({ sub: `user-${i}` })),
    );
    expect(await Promise.all(tokens.map((token) => ask(token)))).toEqual(Array(20).fill(200));
    expect(issuer.asked).toBe(1);
  });

  test("keeps no request that waits for one whose client has gone", async () => {
    const issuer = await startIssuer();
    const asked = new Promise<void>((resolve) => {
      issuer.answer(() => resolve());
    });
    const ask = await deploy(issuer);
    const gone = new AbortController();
    const first = ask(await issuer.sign(), { signal: gone.signal }).catch(() => "gone");
    await asked;
    const second = ask(await issuer.sign());
    gone.abort();
    expect(await first).toBe("gone");
    expect(await second).toBe(400);
    expect(issuer.asked).toBe(1);
  });
});
