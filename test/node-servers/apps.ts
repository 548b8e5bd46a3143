import { type IncomingMessage, request, type RequestListener } from "node:http";

import express4 from "express4";
import express5 from "express5";
import fastify4 from "fastify4";
import fastify5 from "fastify5";
import { onTestFinished } from "vitest";

import type { NodeLimiterOptions } from "../../src/adapter/node-limiter.ts";
import type { Decision } from "../../src/decide/decision.ts";
import type { Hold } from "../../src/decide/hold.ts";
import { rateLimit as expressLimit } from "../../src/express.ts";
import { rateLimit as fastifyLimit } from "../../src/fastify.ts";
import { startOrigin } from "../support/gateway/gateway.ts";
import { overHttp2 } from "./over-http2.ts";

/** The exchange that a handler of any of the frameworks gets. */
export interface Exchange {
  readonly path: string;
  /** The middleware's result. */
  readonly decision: Decision | Hold;
  /** Node's own response, for streamed bodies. */
  readonly raw: import("node:http").ServerResponse;
  set(name: string, value: string): void;
  send(status: number, body: string): void;
}

/** The options that all frameworks have; the functions get the framework's request. */
export type Options = NodeLimiterOptions<{ readonly headers: Record<string, unknown> }>;

/** An app of a framework with these limiters, outer first, in front of one handler. */
type CreateApp = (
  limiters: readonly Options[],
  handle: (exchange: Exchange) => void,
) => Promise<RequestListener>;

interface AnyExpress {
  (incoming: IncomingMessage, outgoing: never): void;
  use(...handlers: unknown[]): void;
}

const express =
  (create: unknown): CreateApp =>
  async (limiters, handle) => {
    const app = (create as () => AnyExpress)();
    for (const options of limiters) app.use(expressLimit(options as never));
    app.use((request: { path: string }, response: any) => {
      handle({
        path: request.path,
        decision: response.locals.rateLimit,
        raw: response,
        set: (name, value) => response.append(name, value),
        send: (status, body) => response.status(status).send(body),
      });
    });
    app.use((error: Error, _request: unknown, response: any, _next: unknown) =>
      response.status(500).send(`error handler: ${error.message}`),
    );
    return app as unknown as RequestListener;
  };

const fastify =
  (create: unknown, options: { readonly http2?: true } = {}): CreateApp =>
  async (limiters, handle) => {
    const app = (create as (options: object) => any)(options);
    for (const options of limiters) app.register(fastifyLimit, options);
    app.setErrorHandler((error: Error, _request: unknown, reply: any) =>
      reply.code(500).send(`error handler: ${error.message}`),
    );
    app.after(() => {
      app.all("/*", (request: any, reply: any) => {
        const { pathname } = new URL(request.url, "http://localhost");
        handle({
          path: pathname,
          decision: request.rateLimit,
          raw: reply.raw,
          set: (name, value) => reply.header(name, value),
          send: (status, body) => reply.code(status).send(body),
        });
      });
    });
    await app.ready();
    onTestFinished(() => app.close());
    return options.http2
      ? overHttp2(await app.listen({ port: 0, host: "127.0.0.1" }))
      : (...pair) => app.routing(...pair);
  };

/** The frameworks in the versions that people have. */
export const FRAMEWORKS: readonly (readonly [name: string, create: CreateApp])[] = [
  ["express 4", express(express4)],
  ["express 5", express(express5)],
  ["fastify 4", fastify(fastify4)],
  ["fastify 5", fastify(fastify5)],
  ["fastify 5 over HTTP/2", fastify(fastify5, { http2: true })],
];

const answerByPath = ({ path, send }: Exchange) =>
  path === "/" ? send(200, "hello") : send(Number(path.slice(1)), "by path");

/** Serves an app until the test has ended, and resolves with its address. */
export async function serve(
  create: CreateApp,
  options: Options | readonly Options[],
  handle: (exchange: Exchange) => void = answerByPath,
): Promise<string> {
  return (await startOrigin(await create([options].flat() as Options[], handle))).url;
}

/** A request that its client can give up, from an address of its own. */
export function requestFrom(localAddress: string, url: string, headers = {}) {
  const sent = request(url, { localAddress, headers });
  const status = new Promise<number>((resolve, reject) => {
    sent.on("response", (response) => {
      resolve(response.statusCode!);
      response.resume();
    });
    sent.on("error", reject);
  });
  // A client that gives up does not read it.
  status.catch(() => {});
  sent.end();
  return { status, hangUp: () => sent.destroy() };
}
