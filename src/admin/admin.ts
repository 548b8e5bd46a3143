import { Hono } from "hono/tiny";

import { hasTokens } from "../gateway/config/tokens.ts";
import type { Admin, Administration } from "../gateway/platform.ts";
import { ownPath } from "../gateway/route/own-path.ts";
import { StoreError } from "../options/errors.ts";
import { report } from "../runtime/log.ts";
import type { Storage } from "../store/control/storage.ts";
import { administer } from "./administer.ts";
import type { Administered } from "./administered.ts";
import { compileAuthorize } from "./authorize.ts";
import type { AdminRoute } from "./call.ts";
import { nothingHere, Refusal, unavailable } from "./refusal.ts";
import { AUDIT } from "./routes/audit.ts";
import { DRAFTS } from "./routes/drafts.ts";
import { LISTS, OVERRIDES } from "./routes/entries.ts";
import { explainRoutes } from "./routes/explain.ts";
import { healthRoutes } from "./routes/health.ts";
import { HISTORY } from "./routes/history.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { RULES } from "./routes/rules.ts";
import { TRIAL } from "./routes/trial.ts";
import { serveDashboard } from "./serve-dashboard.ts";
import { storageIn } from "./storage-in.ts";

export const BASE = "/_tidegate/api/v1";

/** Every route of an administration. */
export function routesOf(gateway: Administered): readonly AdminRoute[] {
  return [
    ...RULES,
    ...DRAFTS,
    ...HISTORY,
    ...TRIAL,
    ...LISTS,
    ...OVERRIDES,
    ...explainRoutes(gateway),
    ...AUDIT,
    ...healthRoutes(gateway),
    ...metricsRoutes(gateway),
  ];
}

/**
 * The admin API below `/_tidegate/api/` and the dashboard: they read and publish live rules, block and exempt clients,
 * and explain decisions. Without `ADMIN_TOKEN` and `READ_TOKEN` a gateway has neither.
 *
 * @example
 * export default createGateway(process.env, { admin });
 */
export const admin: Admin = (config, rules, environment) => {
  const { tokens } = config;
  if (!hasTokens(tokens)) return undefined;
  return { answer: answerAdmin(administer(config, rules)), file: serveDashboard(environment) };
};

/** Answers the requests below `/_tidegate/api/`. */
export function answerAdmin(gateway: Administered): Administration["answer"] {
  const authorize = compileAuthorize(gateway);
  const stored = gateway.control && storageIn(gateway.control, gateway.prefix);
  const app = new Hono<{
    Bindings: { readonly connection: string | undefined };
    Variables: { caller: Awaited<ReturnType<typeof authorize>> };
  }>({ getPath: ownPath });

  // Before anything is said about the path.
  app.use("*", async (c, next) => {
    c.set("caller", await authorize(c.req.raw, c.env.connection));
    await next();
  });

  const routes = routesOf(gateway);
  for (const route of routes) {
    app.on(route.method, BASE + route.path, async (c) => {
      const { searchParams: query } = new URL(c.req.url);
      checkQuery(route, query);
      const writes = route.writes && !query.has("dry-run");
      const caller = c.var.caller;
      if (writes && caller.role === "read") {
        throw new Refusal(403, "This token only reads: send the ADMIN_TOKEN.");
      }
      try {
        const storage = () => requireStorage(stored);
        return await route.answer({ gateway, request: c.req.raw, query, caller, storage });
      } catch (error) {
        throw error instanceof StoreError ? unavailable(error, writes) : error;
      }
    });
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const allowed = routes.filter((route) => route.path === path).map(({ method }) => method);
    const fields = { Allow: allowed.join(", ").replace("GET", "GET, HEAD") };
    app.all(BASE + path, () => {
      throw new Refusal(405, `Use ${allowed.join(" or ")} here.`, {}, fields);
    });
  }

  app.notFound(() => nothingHere().response());
  app.onError((error) => {
    if (error instanceof Refusal) return error.response();
    report(`the administration failed: ${error.message}`);
    return new Refusal(500, "The gateway failed to handle the request.").response();
  });
  return async (request, connection) => app.fetch(request, { connection });
}

/** A misspelt parameter would silently lose its effect. */
function checkQuery({ query: known = [] }: AdminRoute, query: URLSearchParams): void {
  for (const name of query.keys()) {
    if (!known.includes(name) || query.getAll(name).length > 1) {
      const names = known.length > 0 ? `only ${known.join(" and ")}, each once` : "none";
      throw new Refusal(400, `The query has a parameter too many: this path takes ${names}.`);
    }
  }
}

function requireStorage(storage: Storage | undefined): Storage {
  if (storage) return storage;
  throw new Refusal(
    501,
    "This gateway reads no live rules: they need a Redis or Durable Objects, and LIVE_REFRESH not to be off.",
  );
}
