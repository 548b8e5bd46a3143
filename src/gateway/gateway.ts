/**
 * The gateway: a limiter in front of an origin, as a fetch handler for any runtime.
 *
 * @module
 */

import type { Context, Handler, Hono } from "hono";
// A few routes need no more than the smallest of its routers.
import { Hono as TinyHono } from "hono/tiny";

import { goneResponse } from "../adapter/answer-denied.ts";
import { problemResponse } from "../decide/problem.ts";
import { periodicWrites } from "../metrics/periodic-writes.ts";
import { connectionAddress, GONE } from "../partition/client-ip.ts";
import type { Environment } from "../runtime/environment.ts";
import { report, requestReporter } from "../runtime/log.ts";
import { monotonicNow } from "../runtime/time.ts";
import { waitUntilOf } from "../runtime/wait-until.ts";
import { type GatewayConfig, readConfig } from "./config/config.ts";
import { alive, gatewayFault, healthCheck } from "./health.ts";
import { openLive } from "./live/open-live.ts";
import { passThroughGateway } from "./pass-through.ts";
import type { Platform } from "./platform.ts";
import { originReporter } from "./proxy/report-origin.ts";
import { answerQuota } from "./quota.ts";
import { keepHostsApart } from "./route/admin-host.ts";
import { isPreflight, permitted } from "./route/cors.ts";
import { OWN, ownPath } from "./route/own-path.ts";
import { compileServe } from "./serve.ts";

/** A fetch handler for any runtime. */
export interface Gateway extends Hono {
  /**
   * Writes counts of this process that are not written yet, and resolves when that has ended, and when notices that are
   * being sent have arrived or failed, which takes up to half a minute. Call it after the last response, if the platform
   * announces the end of the process; Workers do not.
   *
   * @example
   * process.once("SIGTERM", () => server.close(() => gateway.flush()));
   */
  flush(): Promise<void>;
}

/**
 * Creates a gateway from a worker's variables. All rules that cover a request decide it together; requests that no rule
 * covers pass unchanged. A client on the list `deny` gets a 403 for all of them, and a client on `allow` passes without
 * a call to Redis. Paths below `/_tidegate/` belong to the gateway.
 *
 * @param platform features that only some platforms and deployments have: `coloDenials` and `coloCache` of
 * `tidegate/cloudflare`, `admin` and `metrics` of `tidegate/admin`, `onDecision`
 * @throws ConfigurationError with every fault in the variables, unless `ON_ERROR` is `pass`
 * @example
 * export default createGateway(process.env);
 */
export function createGateway(environment: Environment, platform: Platform = {}): Gateway {
  const reportOrigin = originReporter(monotonicNow);
  let config: GatewayConfig;
  try {
    config = readConfig(environment, platform);
  } catch (error) {
    const passing = passThroughGateway(Object(environment), error as Error, reportOrigin);
    if (passing === undefined) throw error;
    return Object.assign(passing, { flush: async () => {} });
  }
  const { origin, onError, store, defaults, cors } = config;
  const writes = periodicWrites(config.writers);
  const live = openLive(config, platform);
  const { enforcement, refresh } = live;
  const serve = compileServe({ config, enforcement, refresh, writes, reportOrigin });
  const gateway = new TinyHono({ getPath: ownPath });
  const looksAtHosts = keepHostsApart(gateway, config.adminHost);

  /** A handler that gets the address of the connection, read before it waits; without a client, nothing goes on. */
  function connected(
    handle: (c: Context, connection: string | undefined) => Promise<Response>,
  ): Handler {
    return (c) => {
      const connection = connectionAddress(config.clientIp, c.env);
      return connection === GONE ? goneResponse() : handle(c, connection);
    };
  }

  gateway.get(`/${OWN}/live`, alive);
  const health = healthCheck(
    store,
    defaults.prefix,
    monotonicNow,
    () => gatewayFault(config, live),
    live.inspection,
  );
  gateway.get(`/${OWN}/health`, async (c) => {
    await refresh?.before(waitUntilOf(c));
    return health();
  });
  const quota = answerQuota(config, enforcement);
  if (quota) {
    gateway.get(
      `/${OWN}/quota`,
      connected(async (c, connection) => {
        await refresh?.before(waitUntilOf(c));
        const answer = await quota(c.req.raw, connection);
        return permitted(answer, await cors?.permissionFor(c.req.raw));
      }),
    );
    if (cors) {
      gateway.options(`/${OWN}/quota`, (c, next) =>
        isPreflight(c.req.raw) ? cors.preflight(c.req.raw) : next(),
      );
    }
  }
  const administration = platform.admin?.(config, live, environment);
  if (administration) {
    if (config.adminHost === undefined) report(SHARED_HOST);
    gateway.all(
      `/${OWN}/api/*`,
      connected(async (c, connection) => {
        await refresh?.before(waitUntilOf(c));
        return administration.answer(c.req.raw, connection);
      }),
    );
    gateway.get(`/${OWN}/`, async (c) =>
      // The page names its files from here.
      c.req.path.endsWith("/") ? administration.file("") : c.redirect(`/${OWN}/`),
    );
    gateway.get(`/${OWN}/assets/:file`, (c) =>
      // The path, and not its parameter, which Hono would decode.
      administration.file(c.req.path.slice(`/${OWN}/`.length)),
    );
  }

  const reportFailed = requestReporter(monotonicNow);
  async function answerFailed(error: Error, request: Request): Promise<Response> {
    reportFailed(`a request failed: ${error.message}`);
    const answer = problemResponse({
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      detail: "The gateway failed to handle the request.",
    });
    return permitted(answer, cors && (await cors.permissionFor(request)));
  }
  gateway.onError((error, c) => answerFailed(error, c.req.raw));

  /** Answers a request that is not for the gateway itself. */
  async function serveSite(
    request: Request,
    bindings: unknown,
    context: RequestContext,
  ): Promise<Response> {
    try {
      const connection = connectionAddress(config.clientIp, bindings);
      if (connection === GONE) return goneResponse();
      if (onError === "pass" && origin.url === undefined) failOpen(context);
      return await serve(request, { connection, bindings }, waitUntilOf(context));
    } catch (error) {
      return answerFailed(error as Error, request);
    }
  }
  gateway.all("*", (c) => serveSite(c.req.raw, c.env, c));

  const { fetch } = gateway;
  // Past Hono, which would try its routes one by one for nothing, unless it has to look at the host or to answer HEAD.
  gateway.fetch = (request, bindings, executionCtx) =>
    looksAtHosts || request.method === "HEAD" || ownPath(request) !== "/"
      ? fetch(request, bindings, executionCtx)
      : serveSite(request, bindings, { executionCtx });
  async function flush(): Promise<void> {
    // Whether a notice arrived is counted, too.
    await config.notices?.settled();
    await live.countTrial();
    await writes.flush();
  }
  return Object.assign(gateway, { flush });
}

const SHARED_HOST =
  'the administration shares the hosts of the site, whose pages and service workers can take the token of whoever opens the dashboard there. Set ADMIN_HOST to a host of its own, or to "any" if no pages of others are served here.';

/** The part of Hono's context that has the platform's own. */
interface RequestContext {
  readonly executionCtx: unknown;
}

/** Has Cloudflare pass a request on to the zone where not even an error can be answered. */
function failOpen(context: RequestContext): void {
  const execution = context.executionCtx as { passThroughOnException?(): void } | undefined;
  execution?.passThroughOnException?.();
}
