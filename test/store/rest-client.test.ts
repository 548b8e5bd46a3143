import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { restClient } from "../../src/store/redis/rest.ts";

/** The answers to the next commands. */
let answers: (() => Response | Promise<Response>)[];
const fetched = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  answers = [];
  fetched.mockReset();
  fetched.mockImplementation(async () => answers.shift()?.() ?? Response.json({ result: "OK" }));
  vi.stubGlobal("fetch", fetched);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const client = () => restClient({ url: "https://redis.example/base", token: "secret" }, 80);

test("a command is one POST to the address, with the token, as JSON, and a signal of a first contact", async () => {
  const signal = new AbortController().signal;
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(signal);
  expect(await client().evalsha("5ha1", ["k1", "k2"], ["consume", "1"])).toBe("OK");
  expect(fetched.mock.calls).toEqual([
    [
      "https://redis.example/base",
      {
        method: "POST",
        headers: { authorization: "Bearer secret", "content-type": "application/json" },
        body: '["EVALSHA","5ha1",2,"k1","k2","consume","1"]',
        redirect: "manual",
        signal,
      },
    ],
  ]);
  expect(timeout.mock.calls).toEqual([[320]]);
});

test("a script that is missing is sent within the time of the first contact, which its result ends", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const redis = client();
  answers = [() => Response.json({ error: "NOSCRIPT No matching script." }, { status: 400 })];
  await expect(redis.evalsha("s", [], [])).rejects.toThrow("NOSCRIPT");
  await redis.eval("return 1", [], []);
  await redis.evalsha("s", [], []);
  expect(timeout.mock.calls).toEqual([[320], [320], [80]]);
});

test("a command has a signal of its own: the end of one ends no other", async () => {
  const redis = client();
  for (let i = 0; i < 2; i++) await redis.evalsha("s", [], []);
  const [one, other] = fetched.mock.calls.map(([, { signal }]) => signal);
  expect(one).toBeInstanceOf(AbortSignal);
  expect(one).not.toBe(other);
});

test("a script is sent by its text", async () => {
  await client().eval("return 1", ["k"], []);
  expect(fetched.mock.calls[0]![1].body).toBe('["EVAL","return 1",1,"k"]');
});

test.for<[string, () => Response | Promise<Response>, RegExp]>([
  ["an error of Redis", () => Response.json({ error: "ERR no" }, { status: 400 }), /^ERR no$/],
  ["an error beside a result", () => Response.json({ error: "ERR no", result: 1 }), /^ERR no$/],
  [
    "a broken connection",
    () => Promise.reject(new TypeError("fetch failed")),
    /^Redis could not be reached\.$/,
  ],
  [
    "a body that breaks off",
    () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError("gone")) })),
    /^Redis could not be reached\.$/,
  ],
  ["a result of a failure", () => Response.json({ result: 1 }, { status: 500 }), /HTTP 500/],
])("%s is thrown, after one call", async ([, answer, message]) => {
  answers = [answer];
  await expect(client().evalsha("s", [], [])).rejects.toThrow(message);
  expect(fetched).toHaveBeenCalledTimes(1);
});

test.for([[null], [0], [""], [[1, 2]]])(
  "a result of %j is passed on as it is",
  async ([result]) => {
    answers = [() => Response.json({ result })];
    expect(await client().evalsha("s", [], [])).toEqual(result);
  },
);

/** A client on Workers, what its command is, and which of the commands so far had a signal. */
function onWorkers() {
  vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
  const redis = client();
  return {
    ask: () => redis.evalsha("s", [], []).catch(() => {}),
    signals: () => fetched.mock.calls.map(([, { signal }]) => signal instanceof AbortSignal),
  };
}

test("on Workers no more than four unanswered commands go without a signal", async () => {
  const { ask, signals } = onWorkers();
  const answer: (() => void)[] = [];
  answers = Array(6).fill(
    () => new Promise((resolve) => answer.push(() => resolve(Response.json({ result: 1 })))),
  );
  const sent = Array.from({ length: 6 }, () => ask());
  expect(signals()).toEqual([false, false, false, false, true, true]);
  for (const each of answer) each();
  await Promise.all(sent);
  await ask();
  expect(signals()[6]).toBe(false);
});

test("on Workers a command that failed is unanswered, and an error of Redis and a refused token are answers", async () => {
  const { ask, signals } = onWorkers();
  const fail = () => Promise.reject(new TypeError("fetch failed"));
  const refused = () => new Response("no", { status: 401 });
  answers = [
    ...Array(4).fill(fail),
    () => Response.json({ error: "ERR no" }),
    ...Array(6).fill(refused),
  ];
  for (let i = 0; i < 11; i++) await ask();
  expect(signals()).toEqual(Array(4).fill(false).concat(true, Array(6).fill(false)));
});
