import { appendFields } from "../adapter/append-fields.ts";
import { overLimits } from "../adapter/over-limits.ts";
import type { Refresh } from "../live/refresh.ts";
import type { Counter } from "../metrics/counter.ts";
import type { PeriodicWrites } from "../metrics/periodic-writes.ts";
import type { WaitUntil } from "../runtime/wait-until.ts";
import { compileAdmit } from "./admit.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { Enforcement, InForce } from "./in-force.ts";
import { passOn } from "./proxy/proxy.ts";
import type { ReportOrigin } from "./proxy/report-origin.ts";

/** The parts that serve a request. */
export interface Served {
  readonly config: GatewayConfig;
  readonly enforcement: Enforcement;
  /** `undefined` where no live rules are read. */
  readonly refresh: Refresh | undefined;
  readonly writes: PeriodicWrites;
  /** Called where the origin gave no answer. */
  readonly reportOrigin: ReportOrigin;
}

/** Answers a request by the rules, or by the origin. */
export type Serve = (
  request: Request,
  connection: string | undefined,
  waitUntil: WaitUntil,
) => Promise<Response>;

/** The path of a request through the gateway, from top to bottom. */
export function compileServe({
  config,
  enforcement,
  refresh,
  writes,
  reportOrigin,
}: Served): Serve {
  const admit = compileAdmit(config);

  function forward(
    request: Request,
    { ruleset }: InForce,
    counter: Counter | undefined,
    over?: string,
  ) {
    const onFailure: ReportOrigin = (failure, error) => {
      counter?.unanswered(failure);
      reportOrigin(failure, error);
    };
    return passOn(request, config.origin, onFailure, ruleset.isImitation, over);
  }

  return async function serve(request, connection, waitUntil) {
    const waiting = refresh?.before(waitUntil);
    if (waiting) await waiting;
    writes.start(waitUntil);
    const inForce = enforcement.now();
    const counter = config.recorder?.counterOf(inForce.ruleset.rules);

    const admission = await admit(inForce, request, connection, counter);
    if (admission.kind === "answered") return admission.response;
    if (admission.kind === "unlimited") return forward(request, inForce, counter);

    const { decision, rules } = admission;
    const response = await forward(request, inForce, counter, overLimits(decision));
    const failures = rules.flatMap(({ reader }) => reader.failures);
    const settlement = config.features.holds?.settlementOf(decision, failures, waitUntil);
    return appendFields(settlement?.after(response, request) ?? response, decision);
  };
}
