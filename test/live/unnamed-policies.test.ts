import { expect, test } from "vitest";

import { DEPLOYED } from "../support/live/live-gateway.ts";
import { startFleet } from "./fleet.ts";

const policy = (limit: number, more: object = {}) => ({
  algorithm: "fixed-window",
  limit,
  window: "30d",
  ...more,
});
const documentOf = (...policies: readonly object[]) => ({ rules: [{ ...DEPLOYED[0], policies }] });
const BEFORE = documentOf(policy(5), policy(50, { name: "named" }), policy(90));

test.for([
  ["another limit of an unnamed policy", BEFORE.rules[0]!.policies.with(0, policy(4)), [0]],
  [
    "another limit of a named one",
    BEFORE.rules[0]!.policies.with(1, policy(40, { name: "named" })),
    undefined,
  ],
  ["another place", [policy(7), ...BEFORE.rules[0]!.policies], undefined],
  ["another window, which counts anew under any name", [policy(5, { window: "1d" })], undefined],
  ["a name", [policy(4, { name: "mine" })], undefined],
] as const)(
  "a dry run and a publication warn of counts that begin anew: %s",
  async ([, policies, at]) => {
    const { isolate } = await startFleet();
    const gateway = isolate();
    await gateway.api("PUT", "/rules", BEFORE, { "If-Match": '"0"' });
    const after = documentOf(...policies);
    const paths = at?.map((index) => `rules[0].policies[${index}]`);
    const tried = await gateway.api("PUT", "/rules?dry-run", after);
    expect([tried.status, tried.body.countsAnew]).toEqual([200, paths]);
    const published = await gateway.api("PUT", "/rules", after, { "If-Match": '"1"' });
    expect([published.status, published.body.countsAnew]).toEqual([200, paths]);
  },
);
