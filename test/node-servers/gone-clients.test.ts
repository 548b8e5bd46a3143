import { once } from "node:events";
import { createServer, get, type RequestListener } from "node:http";
import { connect as connectHttp2, constants, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect, type ListenOptions, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { getRequestListener } from "@hono/node-server";
import fastify5 from "fastify5";
import { Hono } from "hono";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { rateLimit as fastifyLimit } from "../../src/fastify.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { rateLimit } from "../../src/hono.ts";
import { fixedWindow, header, type ListOptions, lists } from "../../src/index.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { FRAMEWORKS } from "./apps.ts";

const ATTEMPTS = 20;

/** Denies the clients of these tests. */
const LISTS = { deny: [{ cidr: "127.0.0.0/8" }] };

/** A limiter in front of a handler, with what reached the handler, and what was counted. */
interface Guarded {
  readonly listener: RequestListener;
  reached(): number;
  counted(): number;
}

/** A limiter by key, or else by address. */
function common(listed: ListOptions | undefined) {
  const store = openMemoryStore();
  const decide = vi.spyOn(store, "decide");
  return {
    counted: () => decide.mock.calls.length,
    options: {
      ...(listed && { lists: lists(listed) }),
      store,
      policies: [fixedWindow({ name: "hourly", limit: 1000, window: "1h" })],
      partition: [header("x-key"), "ip"] as const,
      clientIp: "socket" as const,
    },
  };
}

type Guard = (listed: ListOptions | undefined) => Promise<Guarded>;

// Over HTTP/2 a test below resets the connections themselves.
const onHttp1 = FRAMEWORKS.filter(([name]) => !name.includes("HTTP/2"));

const frameworks = onHttp1.map(([name, create]): readonly [string, Guard] => [
  name,
  async (listed) => {
    let reached = 0;
    const { options, counted } = common(listed);
    const listener = await create([options], ({ send }) => {
      reached++;
      send(200, "hello");
    });
    return { listener, reached: () => reached, counted };
  },
]);

/** Files share a process: the others keep their own `Request` and `Response`. */
const onNode = (fetch: Parameters<typeof getRequestListener>[0]) =>
  getRequestListener(fetch, { overrideGlobalObjects: false }) as RequestListener;

const hono: Guard = async (listed) => {
  let reached = 0;
  const { options, counted } = common(listed);
  const app = new Hono().use(rateLimit(options)).get("*", (c) => {
    reached++;
    return c.text("hello");
  });
  return {
    listener: onNode(app.fetch),
    reached: () => reached,
    counted,
  };
};

const gateway: Guard = async (listed) => {
  const origin = await startOrigin();
  const onDecision = vi.fn<() => void>();
  const { fetch } = createGateway(
    {
      ORIGIN: origin.url,
      STORE: "memory",
      CLIENT_IP: "socket",
      RULES: [{ path: "/*", policies: [quota("all", 1000)], partition: ["header:x-key", "ip"] }],
      LISTS: listed,
    },
    { onDecision },
  );
  return {
    listener: onNode(fetch),
    reached: () => origin.seen.length,
    counted: () => onDecision.mock.calls.length,
  };
};

const GUARDS: readonly (readonly [string, Guard])[] = [
  ...frameworks,
  ["hono on node", hono],
  ["the gateway on node", gateway],
];

/** A protocol: its server, and a client that sends one request and can then reset what carries it. */
interface Protocol {
  serve(listener: RequestListener): Server;
  send(port: number): { reset(): void };
  /** The status for a client that stays. */
  ask(port: number): Promise<number>;
}

const FIELDS = { "x-key": "k" };

const http1: Protocol = {
  serve: (listener) => createServer(listener),
  send(port) {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nX-Key: k\r\n\r\n");
    return { reset: () => socket.resetAndDestroy() };
  },
  ask: async (port) => (await fetch(`http://127.0.0.1:${port}/`, { headers: FIELDS })).status,
};

function openHttp2(port: number) {
  const socket = connect(port, "127.0.0.1");
  const session = connectHttp2("http://a", { createConnection: () => socket });
  const stream = session.request({ ":path": "/", ...FIELDS });
  stream.once("close", () => session.destroy());
  // The client itself has no interest in them.
  for (const emitter of [session, stream]) emitter.on("error", () => {});
  return { socket, stream };
}

const http2: Protocol = {
  serve: (listener) => createHttp2Server(listener as never),
  send(port) {
    const { socket } = openHttp2(port);
    return { reset: () => socket.resetAndDestroy() };
  },
  async ask(port) {
    const { stream } = openHttp2(port);
    const [headers] = (await once(stream, "response")) as [Record<string, number>];
    stream.resume();
    return headers[":status"]!;
  },
};

const http2Stream: Protocol = {
  ...http2,
  send(port) {
    const { stream } = openHttp2(port);
    return { reset: () => stream.close(constants.NGHTTP2_CANCEL) };
  },
};

/** When a client resets: `start` lets the limiter have the request, `closed` resolves when Node knows of the reset. */
type Moment = (reset: () => void, start: () => void, closed: Promise<unknown>) => unknown;

const MOMENTS = {
  "and the event loop was busy, so that Node does not know yet"(reset, start) {
    reset();
    start();
  },
  async "and a handler before the limiter takes its time"(reset, start, closed) {
    reset();
    await closed;
    start();
  },
  "while the limiter is at work, before it looks into the lists"(reset, start) {
    start();
    reset();
  },
} satisfies Record<string, Moment>;

/** Serves until the test has ended, and resolves with the port. */
async function listen(server: Server, options: ListenOptions = { port: 0, host: "127.0.0.1" }) {
  await once(server.listen(options), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Sends requests that are reset at a moment, and then one of a client that stays. Resolves with its status. */
async function sendAndReset(listener: RequestListener, protocol: Protocol, moment: Moment) {
  let client: { reset(): void } | undefined;
  let next = () => {};
  const server = protocol.serve((incoming, outgoing) => {
    const start = () => listener(incoming, outgoing);
    if (!client) return start();
    const closed = once(outgoing, "close");
    outgoing.once("close", () => next());
    return void moment(client.reset, start, closed);
  });
  const port = await listen(server);
  for (let i = 0; i < ATTEMPTS; i++) {
    const isOver = new Promise<void>((resolve) => (next = resolve));
    client = protocol.send(port);
    await isOver;
  }
  client = undefined;
  return protocol.ask(port);
}

const moments = Object.entries<Moment>(MOMENTS);
const [, , late] = moments;
/** What carries the request, the frameworks that know it, and the moments at which its address is lost. */
const CASES = [
  ["connection", http1, GUARDS, moments],
  ["connection of HTTP/2", http2, GUARDS.slice(3), moments],
  ["stream of HTTP/2", http2Stream, GUARDS.slice(3), moments.slice(1)],
] as const;

describe.for(CASES)("a client that resets its %s", ([, protocol, guards, moments]) => {
  describe.for(moments)("%s", ([at, moment]) => {
    test.for(guards)("passes no list of %s", async ([, guard]) => {
      const { listener, reached, counted } = await guard(LISTS);
      const status = await sendAndReset(listener, protocol, moment);
      expect([status, reached(), counted()]).toEqual([403, 0, 0]);
    });

    // Of a client whose address was read in time, the request goes on and is counted as its own.
    test.for(at === late![0] ? [] : guards)(
      "reaches no handler of %s, and takes no quota",
      async ([, guard]) => {
        const { listener, reached, counted } = await guard(undefined);
        const status = await sendAndReset(listener, protocol, moment);
        expect([status, reached(), counted()]).toEqual([200, 1, 1]);
      },
    );
  });
});

describe("a client without an address is not gone", () => {
  test.for(GUARDS)("over a Unix-domain socket, to %s", async ([, guard]) => {
    vi.spyOn(console, "warn").mockReturnValue();
    const { listener, reached, counted } = await guard(undefined);
    const socketPath = join(tmpdir(), `${crypto.randomUUID()}.sock`);
    await listen(createServer(listener), { path: socketPath });
    const [response] = await once(get({ socketPath }), "response");
    response.resume();
    expect([response.statusCode, reached(), counted()]).toEqual([200, 1, 1]);
  });

  test("in tests that inject a request into Fastify, or give one to an app of Hono", async () => {
    vi.spyOn(console, "warn").mockReturnValue();
    const { options } = common(undefined);
    const fastify = fastify5();
    await fastify.register(fastifyLimit, options);
    fastify.get("/", () => "hello");
    expect((await fastify.inject("/")).statusCode).toBe(200);
    const app = new Hono().use(rateLimit(options)).get("/", (c) => c.text("hello"));
    expect((await app.request("/")).status).toBe(200);
    expect((await app.request("/", {}, { incoming: { socket: {} } })).status).toBe(200);
  });
});
