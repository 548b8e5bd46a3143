import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemorySpanExporter,
  SamplingDecision,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, test } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import { rateLimit } from "../../src/hono.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { spanAttributes } from "../../src/tracing.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { createLimiter, fixedWindow, header, lists } from "../support/limiter/plain.ts";

const exporter = new InMemorySpanExporter();
const asked: string[] = [];

beforeEach(() => {
  exporter.reset();
  asked.length = 0;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    sampler: {
      shouldSample: (_context, _trace, name) => ({
        decision:
          name === "unsampled" ? SamplingDecision.NOT_RECORD : SamplingDecision.RECORD_AND_SAMPLED,
      }),
    },
  });
  trace.setGlobalTracerProvider(provider);
});
afterEach(() => {
  trace.disable();
  context.disable();
});

/** Runs something in a span of its own, as a server handles a request. */
async function inSpan<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  return trace.getTracer("test").startActiveSpan(name, async (span) => {
    try {
      return await run();
    } finally {
      span.end();
    }
  });
}

/** The attributes of the ended spans, by name. */
const attributes = () =>
  Object.fromEntries(exporter.getFinishedSpans().map((span) => [span.name, span.attributes]));

const ALLOWED = { "rate_limit.decision": "allowed", "rate_limit.fail_open": false };

function limiterThatTells(options: object = {}) {
  return createLimiter({
    store: openMemoryStore(),
    policies: [fixedWindow({ name: "day", limit: 1, window: "1d" })],
    onDecision: spanAttributes(trace),
    ...options,
  });
}

function deniedBy(policy: string) {
  return {
    "rate_limit.decision": "denied",
    "rate_limit.fail_open": false,
    "rate_limit.rejected_by": policy,
  };
}

test("the span in which a limiter decides has its attributes, also among parallel ones", async () => {
  const limiter = limiterThatTells({
    policies: [
      fixedWindow({ name: "wide", limit: 100, window: "1d" }),
      fixedWindow({ name: "soft", limit: 1, window: "1d", mode: "soft" }),
      fixedWindow({ name: "narrow", limit: 2, window: "1d" }),
    ],
  });
  await Promise.all(
    [1, 2, 3, 4].map((i) => inSpan(`request ${i}`, async () => limiter.limit("ada"))),
  );
  expect(attributes()).toEqual({
    "request 1": ALLOWED,
    "request 2": ALLOWED,
    "request 3": deniedBy("narrow"),
    "request 4": deniedBy("narrow"),
  });
});

test.each([
  [true, 2],
  [false, 0],
])("a span of Workers that is traced (%s) gets %i attributes", async (isTraced, count) => {
  const set: string[] = [];
  const span = { isTraced, setAttribute: (key: string) => set.push(key) };
  const limiter = limiterThatTells({ onDecision: spanAttributes({ getActiveSpan: () => span }) });
  await limiter.limit("ada");
  expect(set).toHaveLength(count);
});

test("a hold says it, and looking or charging does not", async () => {
  const limiter = limiterThatTells();
  await inSpan("reserve", async () => (await limiter.reserve("ada")).settle());
  await inSpan("peek", async () => limiter.peek("ada"));
  await inSpan("charge", async () => limiter.charge("ada", 1));
  expect(attributes()).toEqual({ reserve: ALLOWED, peek: {}, charge: {} });
});

test("a middleware says it on the span of the request", async () => {
  const app = new Hono();
  app.use(
    rateLimit({
      store: openMemoryStore(),
      policies: [fixedWindow({ name: "day", limit: 1, window: "1d" })],
      partition: [header("x-key")],
      onMissing: "share",
      lists: lists({ allow: [{ identity: "x-key:vip" }], deny: [{ identity: "x-key:mallory" }] }),
      onDecision: spanAttributes(trace),
    }),
  );
  app.get("/", (c) => c.text("ok"));
  const ask = (name: string, key: string) =>
    inSpan(name, async () => app.request("/", { headers: { "x-key": key } }));
  for (const name of ["first", "second"]) await ask(name, "ada");
  await ask("exempt", "vip");
  await ask("blocked", "mallory");
  expect(attributes()).toEqual({
    first: ALLOWED,
    second: deniedBy("day"),
    exempt: { "rate_limit.decision": "exempt", "rate_limit.fail_open": false },
    blocked: { "rate_limit.decision": "blocked", "rate_limit.fail_open": false },
  });
});

test("a decision without Redis says whether it let the request pass", async () => {
  for (const onFailure of ["open", "closed"] as const) {
    const limiter = limiterThatTells({
      store: undefined,
      redis: { url: "http://127.0.0.1:1", token: "t" },
      onFailure,
      onStoreError: () => {},
    });
    await inSpan(onFailure, async () => limiter.limit("ada"));
  }
  expect(attributes()).toEqual({
    open: { "rate_limit.decision": "allowed", "rate_limit.fail_open": true },
    closed: deniedBy("day"),
  });
});

test("a gateway says it, and of a client that a list lets pass", async () => {
  const origin = await startOrigin();
  const gateway = createGateway(
    {
      ORIGIN: origin.url,
      STORE: "memory",
      CLIENT_IP: "cloudflare",
      RULES: [{ path: "/api/*", policies: [quota("api", 1)] }],
      LISTS: { allow: [{ cidr: "198.51.100.0/24" }] },
    },
    { onDecision: spanAttributes(trace) },
  );
  const ask = (name: string, path: string, ip = "192.0.2.1") =>
    inSpan(name, async () =>
      gateway.fetch(
        new Request(`http://gateway.example${path}`, { headers: { "cf-connecting-ip": ip } }),
      ),
    );
  for (const name of ["first", "second"]) await ask(name, "/api/x");
  await ask("listed", "/api/x", "198.51.100.7");
  await ask("uncovered", "/free");
  expect(attributes()).toEqual({
    first: ALLOWED,
    second: deniedBy("api"),
    listed: { "rate_limit.decision": "exempt", "rate_limit.fail_open": false },
    uncovered: {},
  });
});

test("without a span, and on one that is not recorded, no attribute is set", async () => {
  const limiter = limiterThatTells({
    policies: [fixedWindow({ name: "day", limit: 9, window: "1d" })],
    onDecision: spanAttributes({
      getActiveSpan() {
        const span = trace.getActiveSpan();
        return span && Object.assign(span, { setAttribute: () => void asked.push("set") });
      },
    }),
  });
  await limiter.limit("ada");
  await inSpan("unsampled", async () => limiter.limit("ada"));
  expect(asked).toEqual([]);
  await inSpan("sampled", async () => limiter.limit("ada"));
  expect(asked).toHaveLength(2);
});

test("a gateway refuses a listener that is no function", () => {
  const variables = { ORIGIN: "https://origin.example.com", STORE: "memory" };
  const create = () => createGateway(variables, { onDecision: "log" as never });
  expect(create).toThrow(/onDecision/);
});
