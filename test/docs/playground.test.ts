import { expect, test } from "vitest";

import { MODELS } from "../../docs/.vitepress/theme/playground/models.ts";
import {
  choiceOf,
  codeFor,
  PRESETS,
  queryOf,
  START,
} from "../../docs/.vitepress/theme/playground/share.ts";
import * as tidegate from "../../src/index.ts";

const plain = (policy: object) => JSON.stringify({ ...policy, name: "api" });

/** Runs the code as a module does, with the package's own exports. */
function policyOf(code: string): object {
  const [, names] = /^import \{ (.+) \} from "tidegate";$/m.exec(code)!;
  const [, policy] = /policies: \[\n +(.+),\n/.exec(code)!;
  const exported = new Map(Object.entries(tidegate));
  const values = names!.split(", ").map((name) => exported.get(name));
  expect(values).not.toContain(undefined);
  return new Function(...names!.split(", "), `return ${policy}`)(...values);
}

const SETTINGS = [START, { ...START, limit: 1_000_000, window: 90, refill: 7 }];

test.for(MODELS)("the code of the playground makes the policy that it plays: $id", (model) => {
  for (const settings of SETTINGS) {
    const made = policyOf(codeFor(model, settings));
    expect(JSON.parse(plain(made))).toEqual(JSON.parse(plain(model.policy(settings))));
  }
});

test.for(PRESETS)("a link shows the preset $name again", ({ modelId, settings }) => {
  expect(choiceOf(queryOf({ modelId, settings }))).toEqual({ modelId, settings });
});

test("the presets are what they say", () => {
  const policies = PRESETS.map(({ modelId, settings }) =>
    MODELS.find(({ id }) => id === modelId)!.code(settings),
  );
  expect(policies).toEqual([
    'segmentedWindow({ name: "api", limit: 100, window: "1m", segments: 10 })',
    'fixedWindow({ name: "api", limit: 1_000_000, window: month({ timeZone: "UTC" }) })',
    'tokenBucket({ name: "api", limit: 2, refill: 20, per: "1s" })',
  ]);
});

test("a link of other makers starts as a page without one, part by part", () => {
  expect(choiceOf("")).toBeUndefined();
  expect(choiceOf("?algorithm=leaky")).toBeUndefined();
  expect(choiceOf("?algorithm=fixed-window&limit=-1&window=x&unit=year&timeZone=Mars")).toEqual({
    modelId: "fixed-window",
    settings: START,
  });
});
