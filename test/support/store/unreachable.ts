import { expect, inject, test } from "vitest";

import { fixedWindow } from "../../../src/algorithms/fixed-window.ts";
import { createLimiter } from "../../../src/limiter/create-limiter.ts";

/** A Redis that cannot be reached is said to, in the words that this runtime has for the name, for TLS and for the port. */
export function unreachable(
  runtime: string,
  { name, tls, port }: Readonly<Record<"name" | "tls" | "port", RegExp>>,
): void {
  test.for([
    ["a name that does not resolve", (): string => "https://no-such-host.invalid", name],
    [
      "https:// where only http:// is spoken",
      (): string => inject("redisRestUrl").replace("http:", "https:"),
      tls,
    ],
    ["a port where nobody listens", (): string => "http://127.0.0.1:1", port],
  ] as const)(`%s is said in plain words in ${runtime}`, async ([, url, message]) => {
    const limiter = createLimiter({
      redis: { url: url(), token: "t" },
      policies: [fixedWindow({ limit: 1, window: "1h" })],
      timeout: "10s",
      onStoreError: () => {},
    });
    const { error } = await limiter.limit("somebody");
    expect(error).toMatchObject({
      code: "ERR_STORE_UNREACHABLE",
      message: expect.stringMatching(message) as string,
    });
  });
}
