import { createSingleFlight } from "../runtime/single-flight.ts";
import type { KnownDenial } from "./denial-cache.ts";
import type { CoreSettings, Kit } from "./kit.ts";
import type { Known } from "./known.ts";
import {
  type Asked,
  type AskedGroup,
  type Decide,
  NO_MOMENT,
  type Step,
  type Verdict,
} from "./step.ts";

/**
 * Denies at once if the isolate knows the denial. After a known denial has expired, one request of its partition goes
 * on, and the others wait for its verdict. Each verdict updates the known denials.
 */
export function knownDenials({ now, perGroup }: Kit<CoreSettings>, known: Known): Step<Decide> {
  const flightsOf = perGroup(({ denying }) => createSingleFlight(denying.length));

  return (next) => {
    async function ask(asked: Asked): Promise<Verdict> {
      return known.learn(asked, await next(asked));
    }

    /** @param arrivedAtMs the request's arrival, before it waited for others */
    function look(asked: Asked, arrivedAtMs: number, nowMs: number): Verdict | Promise<Verdict> {
      const { groups } = asked;
      let expired: Map<AskedGroup, boolean> | undefined;
      let longest: { readonly asked: AskedGroup; readonly denial: KnownDenial } | undefined;
      for (let i = 0; i < groups.length; i++) {
        const found = known.find(groups[i]!, nowMs);
        if (found.state === "denied" && !(longest && waitOf(found) <= waitOf(longest.denial))) {
          longest = { asked: groups[i]!, denial: found };
        }
        if (found.state === "expired") (expired ??= new Map()).set(groups[i]!, found.denied);
      }
      if (longest) return deny(longest.asked, longest.denial);
      if (expired) return askAlone(asked, expired, nowMs);
      for (let i = 0; i < groups.length; i++) {
        const { group, partition, costs } = groups[i]!;
        const flight = flightsOf(group).join(partition, costs, arrivedAtMs, nowMs);
        if (flight) return flight.then(() => look(asked, arrivedAtMs, now()));
      }
      return ask(asked);
    }

    /** Asks the store after denials have expired, while other requests wait. */
    function askAlone(
      asked: Asked,
      expired: ReadonlyMap<AskedGroup, boolean>,
      nowMs: number,
    ): Promise<Verdict> {
      const groups = asked.groups.map((each) =>
        expired.get(each) ? { ...each, wasDenied: true } : each,
      );
      let asking = () => ask({ ...asked, groups });
      for (const { group, partition, costs } of expired.keys()) {
        const inner = asking;
        known.of(group).drop(partition);
        asking = () => flightsOf(group).run(partition, costs, nowMs, inner);
      }
      return asking();
    }

    return (asked) => {
      if (asked.operation === "reset") {
        return Promise.resolve(next(asked)).then((verdict) => {
          // Not earlier: the answer to an earlier request could restore the old denial.
          known.forget(asked.groups);
          return verdict;
        });
      }
      if (asked.operation !== "consume" || asked.mustReachStore) return ask(asked);
      const nowMs = now();
      return look(asked, nowMs, nowMs);
    };
  };
}

function waitOf({ rows }: KnownDenial): number {
  return Math.max(...rows.map(({ retryAfterUs }) => retryAfterUs));
}

/** The verdict of a known denial of one group. */
export function deny(
  asked: AskedGroup,
  { nowUs, rows }: Pick<KnownDenial, "nowUs" | "rows">,
): Verdict {
  return {
    reason: "cached-denial",
    status: 429,
    nowUs,
    groups: [{ asked, rows, countedBy: "none", at: NO_MOMENT }],
  };
}
