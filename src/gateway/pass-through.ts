import type { Hono } from "hono";
import { Hono as TinyHono } from "hono/tiny";

import { problemResponse } from "../decision/problem.ts";
import { Faults } from "../options/faults.ts";
import type { Environment } from "../runtime/environment.ts";
import { report } from "../runtime/log.ts";
import { originOf } from "./config/config.ts";
import { readVariables } from "./config/variables.ts";
import { passOn } from "./proxy/proxy.ts";
import type { ReportOrigin } from "./proxy/report-origin.ts";
import { keepHostsApart } from "./route/admin-host.ts";
import { OWN } from "./route/route.ts";

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
  const origin = originOf(variables);
  const gateway = new TinyHono();
  keepHostsApart(gateway, variables.adminHost);
  report(`no request is limited, because ON_ERROR is "pass": ${error.message}`);

  // Alerts have to see the fault, and the origin must not get requests for these paths.
  gateway.all(`/${OWN}/*`, () =>
    problemResponse({
      type: "about:blank",
      title: "Service Unavailable",
      status: 503,
      detail: "The gateway's variables have faults, which its log names: no request is limited.",
    }),
  );
  gateway.all("*", (c) => passOn(c.req.raw, origin, reportOrigin));
  return gateway;
}
