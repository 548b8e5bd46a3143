import express, { type Request, type RequestHandler } from "express";
import fastify4, { type FastifyRequest as FastifyRequest4 } from "fastify4";
import fastify5, { type FastifyRequest as FastifyRequest5 } from "fastify5";
import { expect, expectTypeOf, test } from "vitest";

import { rateLimit as expressLimit } from "../../src/express.ts";
import { rateLimit as fastifyLimit, type RateLimited } from "../../src/fastify.ts";
import { fixedWindow, memoryStore } from "../../src/index.ts";

declare module "fastify5" {
  interface FastifyRequest extends RateLimited {}
}

const options = {
  store: memoryStore(),
  policies: [fixedWindow({ name: "types", limit: 1, window: "1h" })],
};

test("the middleware is one of Express, and its functions may ask for Express's request", () => {
  const limit = expressLimit({ ...options, partition: (request: Request) => request.ip });
  expectTypeOf(limit).toExtend<RequestHandler>();
  const app = express();
  app.use("/api", limit);
  app.get("/login", expressLimit({ ...options, clientIp: "socket" }), (_request, response) => {
    response.send("hello");
  });
  expect(limit).toBeTypeOf("function");
});

test("the plugin is one of Fastify 4 and 5, and its functions may ask for Fastify's request", async () => {
  const app = fastify5();
  app.register(fastifyLimit, { ...options, clientIp: "socket" });
  app.register(fastifyLimit<FastifyRequest5>, { ...options, partition: ({ ip }) => ip });
  app.get("/", (request, reply) => reply.send(request.rateLimit.reason));
  const older = fastify4();
  older.register(fastifyLimit<FastifyRequest4>, { ...options, partition: ({ ip }) => ip });
  for (const each of [app, older]) {
    await expect(each.ready()).resolves.toBeDefined();
    await each.close();
  }
});
