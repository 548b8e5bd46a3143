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
  const permit = config.cors?.permit ?? ((_request: Request, response: Response) => response);

  /** The origin's answer, or the gateway's own if there is none. */
  async function forward(
    request: Request,
    { ruleset }: InForce,
    counter: Counter | undefined,
    over?: string,
  ) {
    let isOwn = false;
    const onFailure: ReportOrigin = (failure, error) => {
      isOwn = true;
      counter?.unanswered(failure);
      reportOrigin(failure, error);
    };
    const response = await passOn(request, config.origin, onFailure, ruleset.isImitation, over);
    return { response, isOwn };
  }

  return async function serve(request, connection, waitUntil) {
    const waiting = refresh?.before(waitUntil);
    if (waiting) await waiting;
    writes.start(waitUntil);
    const inForce = enforcement.now();
    const counter = config.recorder?.counterOf(inForce.ruleset.rules);

    const admission = await admit(inForce, request, connection, counter);
    if (admission.kind === "answered") return permit(request, admission.response);
    if (admission.kind === "preflight") return config.cors!.preflight(request);
    if (admission.kind === "unlimited") {
      const { response, isOwn } = await forward(request, inForce, counter);
      return isOwn ? permit(request, response) : response;
    }

    const { decision, rules } = admission;
    const { response } = await forward(request, inForce, counter, overLimits(decision));
    const failures = rules.flatMap(({ reader }) => reader.failures);
    const settlement = config.features.holds?.settlementOf(decision, failures, waitUntil);
    const settled = settlement?.after(response, request) ?? response;
    return permit(request, appendFields(settled, decision));
  };
}
