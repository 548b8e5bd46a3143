import type { RequestListener } from "node:http";

import { Router } from "@koa/router";
import express4 from "express4";
import express5 from "express5";
import fastify4 from "fastify4";
import fastify5 from "fastify5";
import { Hono } from "hono";
import Koa from "koa";

import { listenTo } from "../../support/gateway/serve.ts";
import { REACHED } from "./routes.ts";

function express(create: typeof express4, rest: string): RequestListener {
  const app = create();
  app.post("/api/login", (_request, response) => response.set(REACHED, "login").end());
  app.all("/api/rides/:id", (_request, response) => response.set(REACHED, "ride").end());
  app.all(`/projects/${rest}`, (_request, response) => response.set(REACHED, "project").end());
  return app;
}

interface Reply {
  header(name: string, value: string): { send(body: string): void };
}

interface Fastify {
  post(path: string, handler: (request: unknown, reply: Reply) => void): unknown;
  all(path: string, handler: (request: unknown, reply: Reply) => void): unknown;
  ready(): PromiseLike<unknown>;
  routing(...pair: Parameters<RequestListener>): void;
}

async function fastify(create: unknown, options: object): Promise<RequestListener> {
  const app = (create as (options: object) => Fastify)(options);
  app.post("/api/login", (_request, reply) => reply.header(REACHED, "login").send(""));
  app.all("/api/rides/:id", (_request, reply) => reply.header(REACHED, "ride").send(""));
  app.all("/projects/*", (_request, reply) => reply.header(REACHED, "project").send(""));
  await app.ready();
  return (...pair) => app.routing(...pair);
}

function koa(): RequestListener {
  const reach =
    (name: string) => (context: { set(name: string, value: string): void; body: string }) => {
      context.set(REACHED, name);
      context.body = "";
    };
  const router = new Router();
  router.post("/api/login", reach("login"));
  router.all("/api/rides/:id", reach("ride"));
  router.all("/projects/*rest", reach("project"));
  return new Koa().use(router.routes()).callback();
}

function hono(): RequestListener {
  const app = new Hono();
  app.post("/api/login", (c) => c.body(null, 200, { [REACHED]: "login" }));
  app.all("/api/rides/:id", (c) => c.body(null, 200, { [REACHED]: "ride" }));
  app.all("/projects/*", (c) => c.body(null, 200, { [REACHED]: "project" }));
  return listenTo((request) => app.fetch(request));
}

const lenient = { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, caseSensitive: false };

/** Frameworks as people run them, by name. */
export async function frameworks(): Promise<Record<string, RequestListener>> {
  return {
    "express 4": express(express4, "*"),
    "express 5": express(express5, "*rest"),
    "fastify 4": await fastify(fastify4, {}),
    "fastify 4, lenient": await fastify(fastify4, lenient),
    "fastify 4, no semicolons": await fastify(fastify4, {
      ...lenient,
      useSemicolonDelimiter: false,
    }),
    "fastify 5": await fastify(fastify5, {}),
    "fastify 5, lenient": await fastify(fastify5, {
      routerOptions: { ...lenient, useSemicolonDelimiter: true },
    }),
    koa: koa(),
    hono: hono(),
  };
}
