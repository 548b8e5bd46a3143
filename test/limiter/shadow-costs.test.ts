import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { limiterOver } from "../support/limiter/limiter-over.ts";
import { row, scriptedStore } from "../support/limiter/scripted-store.ts";

/* A request whose only cost is of a policy in shadow is treated as without that policy. */

const numbers = { limit: 10, window: "1d" } as const;
const rides = fixedWindow({ name: "rides", ...numbers });
const ban = fixedWindow({ name: "ban", counts: "denials", ...numbers });
const shadow = fixedWindow({ name: "shadow", mode: "shadow", ...numbers });

/** A limiter whose ban has no room. */
function banned(isShadowed: boolean) {
  const policies = isShadowed ? [rides, ban, shadow] : [rides, ban];
  const scripted = scriptedStore(() => ({
    nowUs: 5e9,
    rows: policies.map(({ name }) => row(name === "ban" ? 1_000 : 0)),
  }));
  return { ...scripted, limiter: limiterOver(scripted.store, { policies }) };
}

test.for([
  { beside: "with", isShadowed: true },
  { beside: "without", isShadowed: false },
])(
  "$beside a shadow policy, its denial is not cached, so that the ban counts each",
  async ({ isShadowed }) => {
    const { limiter, asked } = banned(isShadowed);
    for (let request = 0; request < 2; request++) {
      expect((await limiter.limit("ada", { cost: { rides: 0 } })).reason).toBe("limited");
    }
    expect(asked.map(({ operation }) => operation)).toEqual(["consume", "consume"]);
  },
);
