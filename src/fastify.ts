/**
 * A plugin for Fastify 4 and 5: `import { rateLimit } from "tidegate/fastify"`.
 *
 * @module
 */

import { createNodeLimiter, type NodeLimiterOptions } from "./adapter/node-limiter.ts";
import { type NodeRequest, type NodeResponse, setFields } from "./adapter/node-server.ts";
import { Faults } from "./options/faults.ts";
import { CHOICE } from "./options/messages.ts";
import type { MadeBy } from "./options/option-value.ts";
import { reportOnce } from "./runtime/log.ts";

export type { RateLimited } from "./adapter/node-limiter.ts";

const HOOKS = ["onRequest", "preParsing", "preValidation", "preHandler"] as const;

/** The marks that Fastify reads from a plugin: its hooks belong to the instance on which it is registered. */
const MARKS = {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "tidegate",
  [Symbol.for("plugin-meta")]: { name: "tidegate", fastify: "4.x || 5.x" },
};

/** The parts of Fastify's request that the plugin uses. */
export interface FastifyRequest {
  readonly raw: NodeRequest;
  readonly routeOptions?: { readonly url?: string | undefined; readonly config?: object };
}

/** The parts of Fastify's reply that the plugin uses. */
export interface FastifyReply {
  readonly raw: NodeResponse;
  readonly sent: boolean;
  code(status: number): unknown;
  getHeader(name: string): unknown;
  header(name: string, value: unknown): unknown;
  send(body?: unknown): unknown;
}

/** The parts of a Fastify instance that the plugin uses. */
export interface FastifyInstance {
  decorateRequest(name: string, value: unknown): unknown;
  hasRequestDecorator(name: string): boolean;
  addHook(name: "onRequest", hook: FastifyHook): unknown;
}

type FastifyHook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The options of the plugin; its functions get Fastify's request. */
export interface RateLimitOptions<
  R extends FastifyRequest = FastifyRequest,
  P extends MadeBy<"plans()"> = MadeBy<"plans()">,
> extends NodeLimiterOptions<R, P> {
  /**
   * The hook in which requests are decided: a later one if the functions in the options need data that arrives later,
   * such as the body. Range: `"onRequest"`, `"preParsing"`, `"preValidation"`, `"preHandler"`. Default: `"onRequest"`.
   */
  readonly hook?: (typeof HOOKS)[number];
}

/**
 * A plugin of Fastify; `rateLimit<FastifyRequest>` is one whose functions get Fastify's own request. `register()` tells TypeScript no
 * plans: those of `rateLimit<FastifyRequest, typeof plans>` are checked.
 */
export interface RateLimitPlugin {
  <R extends FastifyRequest, P extends MadeBy<"plans()"> = MadeBy<"plans()">>(
    instance: FastifyInstance,
    options: RateLimitOptions<R, P>,
  ): Promise<void>;
  (instance: FastifyInstance, options: RateLimitOptions): Promise<void>;
}

/**
 * A plugin that limits the requests to the instance on which it is registered, and leaves the decision as
 * `request.rateLimit`. A denied request is answered here. Errors that the functions in its options throw go to
 * Fastify's error handler.
 *
 * @throws ConfigurationError with every fault, when it is registered
 * @example
 * await app.register(rateLimit, {
 *   redis: fromNodeRedis(redis),
 *   policies: [tokenBucket({ name: "api", limit: 20, refill: 10, per: "1s" })],
 *   partition: [header("x-api-key"), "ip"],
 *   clientIp: "socket",
 * });
 */
export const rateLimit: RateLimitPlugin = /* @__PURE__ */ (() => {
  async function rateLimit<R extends FastifyRequest>(
    instance: FastifyInstance,
    options: RateLimitOptions<R>,
  ): Promise<void> {
    const faults = new Faults();
    const { hook = "onRequest" } = Object(options) as RateLimitOptions<R>;
    if (!HOOKS.includes(hook)) faults.add("hook", hook, CHOICE, HOOKS);
    const limit = createNodeLimiter(options, ["hook"], faults);
    if (!instance.hasRequestDecorator("rateLimit")) instance.decorateRequest("rateLimit", null);

    const decide: FastifyHook = async (request, reply) => {
      const { config, url } = request.routeOptions ?? {};
      // Of @fastify/rate-limit: whoever moves from it would miss the limit of the route.
      if (config && "rateLimit" in config) {
        reportOnce(
          `config.rateLimit of the route ${url} has no effect: register rateLimit on an instance of its own for this route.`,
        );
      }
      const { response, ...limited } = await limit(request as R, request.raw, reply.raw);
      Object.assign(request, limited);
      if (reply.sent) return reply;
      const sink = {
        get: (name: string) => reply.getHeader(name),
        set: (name: string, value: unknown) => reply.header(name, value),
      };
      setFields(sink, response?.headers ?? limited.rateLimit!.headers());
      if (!response) return undefined;
      reply.code(response.status);
      reply.send(new Uint8Array(await response.arrayBuffer()));
      return reply;
    };
    // Each hook has an overload of its own.
    instance.addHook(hook as "onRequest", decide);
  }
  return Object.assign(rateLimit, MARKS);
})();

export default rateLimit;
