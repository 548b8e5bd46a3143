import type { Hono } from "hono";
import { Hono as TinyHono } from "hono/tiny";

import { problemResponse } from "../decide/problem.ts";
import { Faults } from "../options/faults.ts";
import { checkClientIp } from "../partition/client-ip.ts";
import type { Environment } from "../runtime/environment.ts";
import { report } from "../runtime/log.ts";
import { originOf, readVariables } from "./config/variables.ts";
import { alive } from "./health.ts";
import { compilePasses } from "./proxy/outgoing-fields.ts";
import { passOn } from "./proxy/proxy.ts";
import type { ReportOrigin } from "./proxy/report-origin.ts";
import { keepHostsApart } from "./route/admin-host.ts";
import { beginsLikeOwn, isOwn, OWN, ownPath } from "./route/own-path.ts";
import { wordOrJson } from "./rules/from-json.ts";
import { readPath } from "./rules/path.ts";
import { Steps } from "./rules/steps.ts";

/** No rule reads a field. */
const NO_RULES = () => false;

/**
 * Replaces a gateway whose variables have faults: it passes every request on, and limits none. `undefined` unless
 * `ON_ERROR` is `pass` and the origin is known.
 *
 * @param reportOrigin called if the origin gives no answer
 */
export function passThroughGateway(
  environment: Environment,
  error: Error,
  reportOrigin: ReportOrigin,
): Hono | undefined {
  const faults = new Faults();
  const variables = readVariables(environment, faults);
  const isUsable = !faults.list.some(({ path }) => path === "ORIGIN");
  if (variables.onError !== "pass" || !isUsable) return undefined;
  const clientIp = checkClientIp(wordOrJson(environment["CLIENT_IP"]), "CLIENT_IP", faults);
  const isTrusted = !faults.list.some(({ path }) => path === "CLIENT_IP");
  const origin = originOf(variables, isTrusted ? clientIp : undefined);
  const passes = compilePasses(origin.trusted, NO_RULES);
  const gateway = new TinyHono({ getPath: ownPath });
  keepHostsApart(gateway, variables.adminHost);
  report(`no request is limited, because ON_ERROR is "pass": ${error.message}`);

  // The site is up: a load balancer that took the gateway for dead would end that.
  gateway.get(`/${OWN}/live`, alive);
  gateway.all("*", (c) => {
    const { pathname } = new URL(c.req.url);
    const paths = readPath(pathname, new Steps());
    // Alerts have to see the fault, and the origin must not get requests for these paths.
    if (typeof paths === "string" ? beginsLikeOwn(pathname) : isOwn(paths)) return faulty();
    const passed = {
      request: c.req.raw,
      bindings: c.env,
      passes,
      isRead: NO_RULES,
    };
    return passOn({ ...passed, origin, decided: undefined }, reportOrigin);
  });
  return gateway;
}

function faulty(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Service Unavailable",
    status: 503,
    detail: "The gateway's variables have faults, which its log names: no request is limited.",
  });
}
