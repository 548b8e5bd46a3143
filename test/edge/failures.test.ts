import { describe, expect, test } from "vitest";

import { concurrency, ConfigurationError, failures, fixedWindow } from "../../src/index.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { rateLimit } from "../../src/vercel.ts";
import { background, nextOf, streamed } from "../support/adapter/background.ts";

const policies = [fixedWindow({ name: "login", counts: failures(), limit: 2, window: "30d" })];

/** How many of three requests pass that are answered so; `undefined` goes on to the route. */
async function passing(
  answer: () => Response | undefined,
  receive: (response: Response) => Promise<unknown> = (response) => response.text(),
): Promise<number> {
  const { context, done } = background();
  const middleware = rateLimit({
    store: openMemoryStore(),
    policies,
    partition: () => "ada",
    onAllowed: () => {
      passed++;
      return answer();
    },
  });
  let passed = 0;
  for (let i = 0; i < 3; i++) {
    const asked = new Request("https://shop.example/login");
    try {
      await receive(await middleware(asked, context));
    } catch {
      // The handler's own error, or the body's.
    }
    await done();
  }
  return passed;
}

describe("rateLimit() of tidegate/vercel, with a policy that counts failures", () => {
  test("settles by the responses of onAllowed", async () => {
    expect(await passing(() => new Response("welcome"))).toBe(3);
    expect(await passing(() => new Response("no", { status: 401 }))).toBe(2);
    expect(await passing(() => Response.redirect("https://shop.example/home"))).toBe(3);
    expect(
      await passing(() => {
        throw new Error("bug");
      }),
    ).toBe(3);
  });

  test("counts a request that goes on to a route, whose response it does not see", async () => {
    expect(await passing(() => undefined)).toBe(2);
    for (const field of ["x-middleware-next", "x-middleware-rewrite"]) {
      expect(await passing(() => new Response(null, { headers: { [field]: "1" } }))).toBe(2);
    }
  });

  test("settles when a client hangs up in the middle", async () => {
    const answer = () => {
      const { body, send } = streamed();
      send("one");
      return new Response(body);
    };
    const hangUp = async ({ body }: Response) => {
      const reader = body!.getReader();
      expect(await nextOf(reader)).toBe("one");
      await reader.cancel();
    };
    expect(await passing(answer, hangUp)).toBe(3);
  });

  test.each([
    ["counts", "failures", policies[0]!],
    ["algorithm", "concurrency", concurrency({ name: "streams", limit: 2 })],
  ] as const)("has a fault without onAllowed where %s is %s", (option, value, policy) => {
    const fault = { path: `policies[0].${option}`, value: `"${value}"`, code: "unsupported" };
    const faults = [expect.objectContaining(fault)];
    const make = () => rateLimit({ store: openMemoryStore(), policies: [policy] });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(expect.objectContaining({ faults }));
  });
});
