import { expect, inject, test } from "vitest";

import { fixedWindow } from "../../../src/algorithms/fixed-window.ts";
import { createLimiter } from "../../../src/limiter/create-limiter.ts";
import { restReader, restSender } from "../../../src/store/redis/rest.ts";

const NOT_REDIS = "What answered is not the Redis REST API: ";
const REDIRECT = `${NOT_REDIS}it redirects to another address. Redirects are not followed; give the address of Redis itself.`;
const LONG = (bytes: number) => `${NOT_REDIS}its answer has more than ${bytes} bytes.`;

const at = (path: string) => ({ url: `${inject("strangeRestUrl")}/${path}`, token: "t" });

/** What the server has got that redirects lead to, and how many bytes of the last endless answer were sent. */
async function taken(): Promise<{ taken: readonly string[]; written: number }> {
  return (await restSender(at("taken"), 10_000)([])) as { taken: string[]; written: number };
}

/** A redirect gets neither the token nor the command, and no answer fills the memory. */
export function strangeAnswers(runtime: string): void {
  test.for([301, 302, 303, 307, 308])(
    `a redirect by %i is an error in ${runtime}`,
    async (status) => {
      const limiter = createLimiter({
        redis: at(`redirect/${status}`),
        policies: [fixedWindow({ limit: 1, window: "1h" })],
        timeout: "10s",
        onStoreError: () => {},
      });
      const { error } = await limiter.limit("somebody");
      expect(error).toMatchObject({ code: "ERR_STORE_REPLY", message: REDIRECT });
      await expect(restReader(at(`redirect/${status}`), 10_000)(["GET", "key"])).rejects.toThrow(
        REDIRECT,
      );
      expect((await taken()).taken).toEqual([]);
    },
  );

  test.for(["endless", "declared", "packed"])(
    `an answer that is too long is not read to its end in ${runtime}: %s`,
    async (path) => {
      await expect(restSender(at(path), 10_000)(["EVALSHA"])).rejects.toThrow(LONG(1_048_576));
      await expect(restReader(at(path), 10_000)(["GET"])).rejects.toThrow(LONG(16_777_216));
      // The buffers of both ends hold some more.
      if (path === "endless") expect((await taken()).written).toBeLessThan(40 * 1024 * 1024);
    },
  );

  test.for(["exact", "exact/with-length"])(
    `an answer may be as long as the bound in ${runtime}: %s`,
    async (path) => {
      expect(await restSender(at(path), 10_000)(["EVALSHA"])).toEqual([1, 9]);
    },
  );
}
