import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type RequestListener,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { parseCookie } from "cookie";
import express4 from "express4";
import express5 from "express5";
import fastify4 from "fastify4";
import fastify5 from "fastify5";
import { Hono } from "hono";
import { getCookie } from "hono/cookie";
import Koa from "koa";

import { listenTo } from "../support/gateway/serve.ts";

/** What one origin reads under a name: a text, or several of them where it makes a list. */
export type Read = Readonly<Record<string, unknown>>;

/** Origins that say what they read in a query and in cookies, by their names. */
export interface Readers {
  read(path: string, cookie: string): Promise<ReadonlyMap<string, Read>>;
  stop(): Promise<void>;
}

/** The names that origins are asked for: a parameter that changes the method, a key, and a cookie. */
export const METHOD = "_method";
export const KEY = "api_key";
export const COOKIE = "s_id";

interface App {
  set(name: string, value: string): unknown;
  use(handler: (asked: { query: Read }, response: { json(body: object): void }) => void): unknown;
}

interface Fastify {
  get(path: string, handler: (asked: { query: Read }) => Promise<object>): unknown;
  ready(): PromiseLike<unknown>;
  routing(...pair: Parameters<RequestListener>): void;
}

const chosen = (query: Read, cookies: Read = {}) => ({
  [METHOD]: query[METHOD],
  [KEY]: query[KEY],
  [COOKIE]: cookies[COOKIE],
});

function express(create: unknown, parser?: string): RequestListener {
  const app = (create as () => App & RequestListener)();
  if (parser) app.set("query parser", parser);
  app.use(({ query }, response) => response.json(chosen(query)));
  return app;
}

async function fastify(create: unknown): Promise<RequestListener> {
  const app = (create as () => Fastify)();
  app.get("/*", async ({ query }) => chosen(query));
  await app.ready();
  return (...pair) => app.routing(...pair);
}

function koa(): RequestListener {
  interface Context {
    readonly query: Read;
    readonly cookies: { get(name: string): string | undefined };
    body: object;
  }
  const app = new Koa();
  app.use((context: Context) => {
    context.body = chosen(context.query, { [COOKIE]: context.cookies.get(COOKIE) });
  });
  return app.callback();
}

function hono(): RequestListener {
  const app = new Hono();
  app.get("*", (c) => c.json(chosen(c.req.query(), getCookie(c))));
  return listenTo((asked) => app.fetch(asked));
}

/** As many write it, without a framework: what follows a question mark, by the standard's reading. */
const plain: RequestListener = ({ url = "", headers }, response) => {
  const query = Object.fromEntries(new URLSearchParams(url.slice(url.indexOf("?") + 1)));
  response.end(JSON.stringify(chosen(query, parseCookie(headers.cookie ?? ""))));
};

const decodeForm = (written: string) =>
  Buffer.from(
    written
      .replaceAll("+", " ")
      .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    "latin1",
  ).toString();

type Pairs = readonly (readonly [name: string, value: string])[];

function pairsOf(list: string, separator: RegExp): Pairs {
  return list.split(separator).map((pair) => {
    const at = pair.indexOf("=");
    return at === -1 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
  });
}

/** As PHP 8.2 names a variable: `php_register_variable_ex` in its source. */
function phpName(decoded: string): string {
  const name = decoded.replace(/^ +/, "").split("\0")[0]!;
  const bracket = name.indexOf("[");
  const isList = bracket !== -1 && name.indexOf("]", bracket) !== -1;
  return (isList ? name.slice(0, bracket) : name).replaceAll(/[ .[]/g, "_");
}

/** Origins whose languages this machine may not have. Those that are here were seen to read as these models do. */
const MODELS: Readonly<Record<string, (query: string, cookie: string) => Read>> = {
  php: (query, cookie) => {
    // Its own server drops further question marks.
    const variables = pairsOf(query.replace(/^\?+/, ""), /&/).map(([name, value]) => [
      phpName(decodeForm(name)),
      decodeForm(value),
    ]);
    const cookies = pairsOf(cookie, /;/)
      .toReversed()
      .map(([name, value]) => [
        phpName(name.trimStart()),
        decodeForm(value.replaceAll("+", "%2B")),
      ]);
    return chosen(Object.fromEntries(variables) as Read, Object.fromEntries(cookies) as Read);
  },
  "rack 2": (query) =>
    chosen(
      Object.fromEntries(
        pairsOf(query, /[&;] */).map(([name, value]) => [
          /^[[\]]*([^[\]]+)\]*/.exec(decodeForm(name))?.[1] ?? "",
          decodeForm(value),
        ]),
      ) as Read,
    ),
  "in any case": (query) =>
    chosen(
      Object.fromEntries(
        pairsOf(query, /&/).map(([name, value]) => [
          decodeForm(name).toUpperCase().toLowerCase(),
          decodeForm(value),
        ]),
      ) as Read,
    ),
};

export async function startReaders(): Promise<Readers> {
  const agent = new Agent({ keepAlive: true });
  const listeners: Record<string, RequestListener> = {
    "express 4": express(express4),
    "express 5": express(express5),
    "express 5, extended": express(express5, "extended"),
    "fastify 4": await fastify(fastify4),
    "fastify 5": await fastify(fastify5),
    koa: koa(),
    hono: hono(),
    plain,
  };
  const servers = await Promise.all(
    Object.entries(listeners).map(async ([name, listener]) => {
      const server = createServer(listener);
      await once(server.listen(0, "127.0.0.1"), "listening");
      return { name, server, port: (server.address() as AddressInfo).port };
    }),
  );

  return {
    async read(path, cookie) {
      const found = new Map<string, Read>();
      await Promise.all(
        servers.map(async ({ name, port }) => {
          const asked = request({
            host: "127.0.0.1",
            port,
            agent,
            path,
            headers: { cookie },
          }).end();
          const [answer] = (await once(asked, "response")) as [IncomingMessage];
          const body = await text(answer);
          if (answer.statusCode === 200) found.set(name, JSON.parse(body) as Read);
        }),
      );
      const query = path.slice(path.indexOf("?") + 1);
      for (const [name, model] of Object.entries(MODELS)) found.set(name, model(query, cookie));
      return found;
    },
    async stop() {
      agent.destroy();
      for (const { server } of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
