import { afterAll, beforeAll } from "vitest";

import { startLocalStack } from "../../scripts/local-stack/local-stack.ts";
import type { LocalStack } from "../../scripts/local-stack/local-stack.ts";
import { redisServerPath } from "../../scripts/support/redis-server.ts";

/** A stack for the tests of a file, with two workers. */
export function useStack(): LocalStack {
  const stack = {} as LocalStack;
  beforeAll(async () => {
    const started = await startLocalStack({
      workers: 2,
      redisUrl: redisServerPath() ? undefined : process.env["REDIS_URL"],
      // Counts are exact as long as Redis decides, however busy this machine is.
      variables: { TIMEOUT: "15s" },
    });
    Object.assign(stack, started);
  });
  afterAll(() => stack.stop?.());
  return stack;
}
