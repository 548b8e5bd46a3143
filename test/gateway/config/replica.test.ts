import { expect, test } from "vitest";

import { ConfigurationError } from "../../../src/index.ts";
import { useFetched } from "../../support/gateway/fetched.ts";

const { gateway } = useFetched();

function faultsOf(variables: object) {
  try {
    gateway(variables);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.faults.map(({ path, code, value }) => [path, code, value]);
    }
    throw error;
  }
  return [];
}

const replica = { REPLICA_URL: "https://near.example", REPLICA_TOKEN: "secret" };

test.each([
  [replica, []],
  [{ ...replica, REPLICA_TIMEOUT: "20ms" }, []],
  [{ REPLICA_URL: "https://near.example" }, [["REPLICA_TOKEN", "shape", "missing"]]],
  [{ REPLICA_TOKEN: "secret" }, [["REPLICA_URL", "shape", "missing"]]],
  [
    { ...replica, REPLICA_URL: "redis://near.example" },
    [["REPLICA_URL", "shape", '"redis://near.example"']],
  ],
  [{ ...replica, REPLICA_TOKEN: "Bearer x" }, [["REPLICA_TOKEN", "shape", '"(hidden)"']]],
  [{ ...replica, STORE: "memory" }, [["REPLICA_URL", "unsupported", '"(an address)"']]],
])("%j", (variables, faults) => {
  expect(faultsOf(variables)).toEqual(faults);
});

test.each(["0ms", "2s", "soon"])("a REPLICA_TIMEOUT of %s is a fault", (timeout) => {
  expect(faultsOf({ ...replica, REPLICA_TIMEOUT: timeout }).map(([path]) => path)).toContain(
    "REPLICA_TIMEOUT",
  );
});
