import { expect, inject, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { createLimiter } from "../../src/limiter/create-limiter.ts";

test.for([
  ["a name that does not resolve", (): string => "https://no-such-host.invalid", /: E[A-Z_]+\.$/],
  [
    "https:// where only http:// is spoken",
    (): string => inject("redisRestUrl").replace("http:", "https:"),
    /: ERR_SSL_[A-Z_]+\.$/,
  ],
  [
    "a port where nobody listens",
    (): string => "http://127.0.0.1:1",
    /^Redis could not be reached\.$/,
  ],
] as const)("%s is said in plain words in Vercel's runtime", async ([, url, message]) => {
  const limiter = createLimiter({
    redis: { url: url(), token: "t" },
    policies: [fixedWindow({ limit: 1, window: "1h" })],
    timeout: "10s",
    onStoreError: () => {},
  });
  const { error } = await limiter.limit("somebody");
  expect(error).toMatchObject({
    code: "ERR_STORE_UNREACHABLE",
    message: expect.stringMatching(message),
  });
});
