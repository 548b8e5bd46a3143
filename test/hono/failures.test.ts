import { Hono } from "hono";
import { every } from "hono/combine";
import { HTTPException } from "hono/http-exception";
import { describe, expect, inject, test, vi } from "vitest";

import type { RateLimitOptions } from "../../src/hono.ts";
import {
  failures,
  type FailureWhen,
  fixedWindow,
  lists,
  refundable,
  shadow,
} from "../../src/index.ts";
import { background, nextOf, streamed } from "../support/adapter/background.ts";
import { appOf, limiterOf } from "./app.ts";

const login = (
  limit: number,
  { when, name = "login" }: { readonly when?: FailureWhen; readonly name?: string } = {},
) => fixedWindow({ name, counts: failures(when), limit, window: "30d" });

/** An app whose one limit is on failures, how to ask it, and how many failures are left. */
function appWith(
  handle: (path: string) => Response | Promise<Response>,
  options: Partial<RateLimitOptions> = {},
) {
  const { context, promises, done } = background();
  const user = crypto.randomUUID();
  const app = new Hono();
  app.onError((error, c) =>
    error instanceof HTTPException ? error.getResponse() : c.text("broken", 500),
  );
  app.use(limiterOf({ policies: [login(5)], partition: () => user, ...options }));
  app.all("*", (c) => (c.req.path === "/look" ? c.text("x") : handle(c.req.path)));
  const ask = async (path = "/", init: RequestInit = {}) => app.request(path, init, {}, context);
  return {
    ask,
    promises,
    /** How many failures are left, when everything is settled. */
    async left(): Promise<number> {
      await done();
      const answer = await ask("/look");
      await answer.text();
      return Number(answer.headers.get("X-RateLimit-Remaining")) + 1;
    },
  };
}

/** Answers with the status in the path. */
const byPath = (path: string) => {
  const status = Number(path.slice(1));
  return new Response(status === 204 ? null : "x", { status });
};

describe("logins through Hono, on a real Redis", () => {
  const onRedis = () =>
    ({
      store: undefined,
      redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") },
      timeout: "10s",
    }) as never;

  /** An app that answers when the test says so, and which statuses many requests at once get. */
  function loginsWith(status: number, isReady: (denied: number) => boolean) {
    let handled = 0;
    let denied = 0;
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const { ask, left } = appWith(async () => {
      handled++;
      await gate;
      return new Response(null, { status });
    }, onRedis());
    return {
      left,
      handled: () => handled,
      askTogether: (count: number) =>
        Promise.all(
          Array.from({ length: count }, async () => {
            const answer = await ask("/login");
            if (answer.status === 429 && isReady(++denied)) open();
            return answer;
          }),
        ),
    };
  }

  test("of 100 that fail at once, exactly 5 reach the handler", async () => {
    const { askTogether, handled } = loginsWith(401, (denied) => denied === 95);
    const answers = await askTogether(100);
    expect(handled()).toBe(5);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect((await askTogether(20)).map(({ status }) => status)).toEqual(Array(20).fill(429));
    expect(handled()).toBe(5);
  });
});

test("only the statuses that are failures count: those of `when`, else 401 and 403", async () => {
  for (const [when, others, failures] of [
    [undefined, [200, 204, 302, 400, 404, 500], [401, 403]],
    [{ status: [422, 500] }, [200, 401, 403], [422, 500]],
  ] as const) {
    const { ask, left } = appWith(byPath, { policies: [login(5, when && { when })] });
    for (const status of others) await (await ask(`/${status}`)).text();
    expect(await left()).toBe(5);
    for (const status of failures) await (await ask(`/${status}`)).text();
    expect(await left()).toBe(3);
  }
});

test("each policy has its own failures, named or not, and one that counts requests keeps its own", async () => {
  const { context, done } = background();
  const policies = [
    fixedWindow({ name: "all", limit: 9, window: "30d" }),
    login(9),
    fixedWindow({ limit: 9, window: "30d", counts: failures({ status: [500] }) }),
    shadow(login(9, { name: "shadow" })),
  ];
  const app = new Hono().use(limiterOf({ policies }));
  app.all("*", (c) => {
    shadows.push(c.var.rateLimit.shadow[0]!.remaining);
    return byPath(c.req.path);
  });
  const shadows: number[] = [];
  for (const path of ["/401", "/500", "/200", "/200"]) {
    await (await app.request(path, {}, {}, context)).text();
    await done();
  }
  const { headers } = await app.request("/200", {}, {}, context);
  const left = headers.get("RateLimit")!.matchAll(/r=(\d+)/g);
  expect([...left].map(([, units]) => Number(units))).toEqual([4, 7, 7]);
  expect(shadows).toEqual([8, 7, 7, 7, 7]);
});

test("a request settles only when its body has ended", async () => {
  const { body, send, close } = streamed();
  const { ask, left, promises } = appWith(() => new Response(body));
  const reader = (await ask()).body!.getReader();
  send("one");
  expect(await nextOf(reader)).toBe("one");
  const settled = vi.fn();
  void promises[0]!.then(settled);
  await new Promise((resolve) => setImmediate(resolve));
  expect(settled).not.toHaveBeenCalled();
  close();
  expect(await nextOf(reader)).toBeUndefined();
  expect(await left()).toBe(5);
});

test.each<[what: string, path: string, init: RequestInit, left: number]>([
  ["no body", "/204", {}, 5],
  ["no body, and a failure", "/401", {}, 4],
  ["an answer to HEAD, whose body nobody reads", "/stream", { method: "HEAD" }, 5],
])("a response with %s settles at once", async (_, path, init, expected) => {
  const { body, state } = streamed();
  const answer = (asked: string) =>
    asked === "/stream" ? new Response(body) : new Response(null, byPath(asked));
  const { ask, left } = appWith(answer);
  expect((await ask(path, init)).body).toBeNull();
  expect(await left()).toBe(expected);
  expect(state.pulls).toBe(0);
});

test("an answer to HEAD whose body has a reader already settles at once, too", async () => {
  const read = new Response("read elsewhere");
  const reader = read.body!.getReader();
  const { ask, left } = appWith(() => read);
  expect((await ask("/", { method: "HEAD" })).body).toBeNull();
  expect(await left()).toBe(5);
  // The reader still has its body.
  expect((await reader.read()).done).toBe(false);
});

test("a response that switches protocols is passed on as it is, and settles at once", async () => {
  const upgraded = Object.defineProperty(new Response("socket"), "status", { value: 101 });
  const { ask, left } = appWith(() => upgraded);
  expect(await ask()).toBe(upgraded);
  expect(await left()).toBe(5);
});

const THROWN: [what: string, thrown: unknown, left: number][] = [
  ["an error", new Error("bug"), 5],
  ["a 401", new HTTPException(401), 4],
];

test.each(THROWN)(
  "a handler that throws %s settles by the answer to it",
  async (_, thrown, expected) => {
    const { ask, left } = appWith(() => {
      throw thrown;
    });
    await (await ask("/throw")).text();
    expect(await left()).toBe(expected);
  },
);

test.each(THROWN)(
  "a middleware after the limiter that throws %s through it settles, too",
  async (_, thrown, expected) => {
    const { context, done } = background();
    const app = new Hono();
    app.onError((_error, c) => c.text("caught", 500));
    let throws = true;
    app.use(
      every(limiterOf({ policies: [login(5)] }), (_c, next) => {
        if (throws) throw thrown;
        return next();
      }),
    );
    app.get("/", (c) => c.text(String(c.var.rateLimit.policies[0]!.remaining)));
    expect((await app.request("/", {}, {}, context)).status).toBe(500);
    await done();
    throws = false;
    expect(await (await app.request("/", {}, {}, context)).text()).toBe(String(expected - 1));
  },
);

test("a hold that a handler has settled itself stays so", async () => {
  const { context, done } = background();
  const tokens = fixedWindow({
    name: "tokens",
    limit: 100,
    window: "30d",
    refundable: refundable(),
  });
  const app = new Hono().use(limiterOf({ policies: [login(5), tokens], cost: { tokens: 50 } }));
  app.get("*", async (c) => {
    const hold = c.var.rateLimit;
    if (!("settle" in hold)) throw new Error("no hold");
    if (c.req.path === "/own") await hold.settle({ tokens: 20 });
    return c.json(hold.policies.map(({ remaining }) => remaining));
  });
  const ask = async (path: string) => {
    const left: unknown = await (await app.request(path, {}, {}, context)).json();
    await done();
    return left;
  };
  expect(await ask("/own")).toEqual([4, 50]);
  // The handler said nothing of the login, so that counts.
  expect(await ask("/")).toEqual([3, 30]);
});

test("an exempt client has a hold, too, which takes nothing", async () => {
  const { context, promises } = background();
  const exempt = lists({ allow: [{ identity: "ada" }] });
  const app = new Hono().use(limiterOf({ policies: [login(1)], lists: exempt }));
  app.get("/", async (c) => {
    const hold = c.var.rateLimit;
    return c.json("settle" in hold && (await hold.settle()));
  });
  for (let i = 0; i < 3; i++) {
    const answer = await app.request("/", {}, {}, context);
    expect(await answer.json()).toMatchObject({ status: "settled" });
  }
  expect(promises).toHaveLength(3);
});

test("a platform without an execution context settles as well", async () => {
  const app = appOf({ policies: [login(1)] });
  for (let i = 0; i < 5; i++) {
    const answer = await app.request("/");
    expect([answer.status, await answer.text()]).toEqual([200, "hello"]);
    await new Promise((resolve) => setImmediate(resolve));
  }
});

test("without such a policy no units are reserved, and no body is watched", async () => {
  const { promises, ask } = appWith(byPath, {
    policies: [fixedWindow({ name: "all", limit: 9, window: "30d" })],
  });
  const made = vi.spyOn(globalThis, "ReadableStream");
  expect(await (await ask("/200")).text()).toBe("x");
  // The platform makes one of bytes for each text.
  expect(made.mock.calls.filter(([source]) => source?.type !== "bytes")).toEqual([]);
  made.mockRestore();
  expect(promises).toEqual([]);
});

describe("a client that hangs up before the handler has answered", () => {
  /** Asks, and hangs up once the handler is at work; the handler fails then as a fetch of its own would. */
  async function hangUp(
    answer: () => Response,
  ): Promise<{ readonly status: number; readonly left: number }> {
    const client = new AbortController();
    const { ask, left } = appWith(async () => {
      client.abort();
      return answer();
    });
    const response = await ask("/login", { signal: client.signal });
    await response.text();
    return { status: response.status, left: await left() };
  }

  test.each([
    ["a 502 of what it could not reach", () => new Response("x", { status: 502 })],
    [
      "an exception",
      () => {
        throw new DOMException("The operation was aborted.", "AbortError");
      },
    ],
  ])("is counted as a failure where that ends in %s", async (_what, answer) => {
    expect((await hangUp(answer)).left).toBe(4);
  });

  test.each([
    [200, 5],
    [404, 5],
    [401, 4],
  ])("is counted by a status of %i, which is known", async (status, left) => {
    expect(await hangUp(() => new Response("x", { status }))).toEqual({ status, left });
  });
});
