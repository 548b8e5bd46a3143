import { expect, test } from "vitest";

import { IMPLEMENTATIONS } from "../../src/algorithms/all.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { ConfigurationError } from "../../src/options/errors.ts";
import { Faults } from "../../src/options/faults.ts";
import { compilePolicies } from "../../src/policy/compile.ts";
import { fromData } from "../../src/policy/from-data.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";

const windowed = { name: "p", limit: 10, window: "1m" } as const;

test.for([
  ...EVERY_ALGORITHM.map(({ of }) => of(10, "1m", 7)),
  fixedWindow({ ...windowed, onFailure: "open" }),
])("$algorithm as data is what its builder makes", (policy) => {
  expect(fromData(JSON.parse(JSON.stringify(policy)))).toEqual(policy);
  const faults = new Faults();
  const [built, read] = [policy, JSON.parse(JSON.stringify(policy))].map((given) =>
    compilePolicies([fromData(given)], "policies", faults),
  );
  expect(read).toEqual(built);
  expect(faults.list.length).toBe(0);
});

// The properties of every object are no algorithms.
test.for(["toString", "constructor", "__proto__", "hasOwnProperty", "leaky", ""])(
  "%j is no algorithm, and that is the only fault",
  (algorithm) => {
    const faults = new Faults();
    compilePolicies([fromData({ ...windowed, algorithm })], "policies", faults);
    expect(() => faults.throwIfAny()).toThrow(
      expect.objectContaining({
        faults: [
          {
            path: "policies[0].algorithm",
            value: JSON.stringify(algorithm),
            code: "choice",
            remedy: `Use one of ${Object.keys(IMPLEMENTATIONS).join(", ")}.`,
          },
        ],
      }) as ConfigurationError,
    );
  },
);
