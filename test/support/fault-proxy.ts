import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

import { random } from "./random.ts";

/** The answer of the server behind the proxy. */
interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

export interface Received {
  readonly body: string;
}

/** A request that was passed on, and its outcome. */
export interface Forwarded {
  readonly body: string;
  /** `undefined` while it is under way, and for good if the server behind never answered. */
  reply?: { readonly status: number; readonly body: string };
}

/** One request on its way, in the hands of a fault. */
interface Exchange {
  /** The body that was sent. */
  readonly body: string;
  /** Passes it on; rejects if the server behind cannot be reached. */
  forward(): Promise<Reply>;
  answer(reply: Reply): void;
  /** Ends the connection with an RST. */
  reset(): void;
  readonly response: ServerResponse;
}

/** The fault that a request meets. */
export type Fault = (exchange: Exchange) => void | Promise<void>;

export interface FaultProxy {
  readonly url: string;
  /** The fault of requests from now on. */
  fault: Fault;
  /** Requests that arrived. */
  readonly received: readonly Received[];
  readonly forwarded: readonly Forwarded[];
  /** Replies that the client never got whole. */
  readonly dropped: number;
  /** Settles when no forwarded request is under way any more. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export const none: Fault = async ({ forward, answer }) => answer(await forward());

/** A slow way there and a fast one back: a late request runs after its client has given up. */
export function delay(ms: number): Fault {
  return async (exchange) => {
    await sleep(ms);
    await none(exchange);
  };
}

/** The connection breaks before the request has arrived. */
export const resetBefore: Fault = ({ reset }) => reset();

/** The connection breaks while the request runs. */
export const resetAfterUs: Fault = async ({ forward, reset }) => {
  const running = forward();
  reset();
  await running;
};

/** A connection that is open on one side only: a request into it gets no answer, not even a refusal. */
export const halfOpen: Fault = () => {};

/** A share of the requests run, and then the connection breaks. Which ones, the seed decides. */
export function dropReplies(share: number, seed = 1): Fault {
  const chance = random(seed);
  return async ({ forward, answer, reset }) => {
    const drops = chance() < share;
    const reply = await forward();
    if (drops) reset();
    else answer(reply);
  };
}

/** The request runs, and the connection breaks in the middle of the reply. */
export const cutReply: Fault = async ({ forward, response, reset }) => {
  const { status, type, body } = await forward();
  response.writeHead(status, { "content-type": type, "content-length": body.length });
  response.write(body.subarray(0, body.length / 2), reset);
};

/** The request runs, and its reply is a whole response with half of the JSON. */
export const truncate: Fault = async ({ forward, answer }) => {
  const reply = await forward();
  answer({ ...reply, body: reply.body.subarray(0, reply.body.length / 2) });
};

/** The request runs, and its reply comes one byte at a time. */
export function drip(ms: number): Fault {
  return async ({ forward, response }) => {
    const { status, type, body } = await forward();
    response.writeHead(status, { "content-type": type, "content-length": body.length });
    for (const byte of body) {
      if (response.destroyed) return;
      response.write(Buffer.of(byte));
      await sleep(ms);
    }
    response.end();
  };
}

/** Something else than the server behind answers. */
export function answers(status: number, type: string, body: string | Buffer): Fault {
  return ({ answer }) => answer({ status, type, body: Buffer.from(body as string) });
}

/** Stands in front of a server and applies the fault of the moment to each request. */
export async function startFaultProxy(upstream: string): Promise<FaultProxy> {
  const forwarded: Forwarded[] = [];
  const underWay = new Set<Promise<unknown>>();
  const received: Received[] = [];
  let dropped = 0;

  async function pass(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(message);
    received.push({ body });
    let ran = false;
    const exchange: Exchange = {
      body,
      response,
      async forward() {
        const entry: Forwarded = { body };
        forwarded.push(entry);
        const reply = await send(upstream, message, body);
        entry.reply = { status: reply.status, body: reply.body.toString() };
        ran = true;
        if (response.closed) dropped++;
        return reply;
      },
      answer({ status, type, body }) {
        response.writeHead(status, { "content-type": type, "content-length": body.length });
        response.end(body);
      },
      reset() {
        message.socket.resetAndDestroy();
      },
    };
    response.once("close", () => {
      if (ran && !response.writableFinished) dropped++;
    });
    // Without a server behind it, a proxy has no answer either.
    await Promise.resolve(proxy.fault(exchange)).catch(() => exchange.reset());
  }

  const server = createServer((message, response) => {
    const passing = pass(message, response)
      .catch(() => {})
      .finally(() => underWay.delete(passing));
    underWay.add(passing);
  });
  // A client that meets a connection just closed would see a fault that the test did not switch on.
  server.keepAliveTimeout = 75_000;
  await once(server.listen(0, "127.0.0.1"), "listening");

  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: none,
    received,
    forwarded,
    get dropped() {
      return dropped;
    },
    async settled() {
      await Promise.all(underWay);
    },
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return proxy;
}

async function send(upstream: string, message: IncomingMessage, body: string): Promise<Reply> {
  const sent = request(`${upstream}${message.url}`, {
    method: message.method ?? "POST",
    headers: { ...message.headers, host: new URL(upstream).host, connection: "close" },
    // A connection kept from before would be one more thing that can break.
    agent: false,
  });
  const [response] = (await once(sent.end(body), "response")) as [IncomingMessage];
  const type = response.headers["content-type"] ?? "";
  return { status: response.statusCode!, type, body: await buffer(response) };
}
