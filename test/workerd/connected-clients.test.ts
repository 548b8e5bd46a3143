import { expect, test } from "vitest";

import { fromIoredis, fromNodeRedis } from "../../src/node.ts";

const answer = async () => [];

// The refusal comes before anything of the library runs, so a client without one shows it as well.
test.each([
  [
    "ioredis",
    () => {
      const options = { autoResendUnfulfilledCommands: false };
      return fromIoredis({ evalsha: answer, eval: answer, disconnect() {}, options });
    },
  ],
  ["node-redis", () => fromNodeRedis({ evalSha: answer, eval: answer })],
])("a client of %s is refused at once, and the message names the REST API", (_name, make) => {
  expect(make).toThrow(
    /client: .*On Workers a connection belongs to the request.*Give redis: \{ url, token \} of a REST API/,
  );
});
