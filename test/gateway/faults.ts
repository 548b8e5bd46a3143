import { expect } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import { ConfigurationError, type Fault, type FaultCode } from "../../src/options/errors.ts";

/** The faults of a gateway's variables. */
export function faultsOf(variables: object): readonly Fault[] {
  try {
    createGateway(variables as Record<string, unknown>);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as ConfigurationError).faults;
  }
  return [];
}

/** These variables have one fault, at this path. `says`: what its remedy has of the variables. */
export function expectFault(
  variables: object,
  path: string,
  value: string,
  code: FaultCode,
  says = "",
): void {
  expect(faultsOf(variables)).toEqual([
    { path, value, code, remedy: expect.stringContaining(says) },
  ]);
}
