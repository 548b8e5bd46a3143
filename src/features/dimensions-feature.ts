import { askedOf, byText, type Groups, type Identify, partitionKey } from "../decide/identify.ts";
import { type CoreSettings, groupsOf, type LimiterContext } from "../decide/limiter-context.ts";
import type { Cost, Dimensioned, Identity } from "../decide/limiter-types.ts";
import type { PartitionRequest } from "../decide/step.ts";
import { TidegateError } from "../options/errors.ts";
import type { Faults } from "../options/faults.ts";
import { DIMENSION, NO_DIMENSION } from "../options/messages.ts";
import { ipPartition } from "../partition/ip-address.ts";
import { EVERYBODY } from "../partition/key-text.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Policy } from "../policy/policy.ts";

/** Policies with dimensions. Policies of requests have no option `by` to check. */
export interface Dimensions {
  readonly checkPolicy?: typeof checkDimension;
  readonly check?: typeof checkDimensions;
  readonly identifyBy: (context: LimiterContext<CoreSettings>) => Identify;
}

/** Policies with `by`: identities are objects, with a string for each dimension. */
export const dimensions: Dimensions = {
  checkPolicy: checkDimension,
  check: checkDimensions,
  identifyBy: byTextOrDimensions,
};

/** The dimensions of a middleware or a rule, which are its partitions. */
export const dimensionsOfRequests = { identifyBy: byDimensions };

/** A dimension of an identity. `*` stands for all clients. */
const DIMENSION_NAME = /^(?:\*|[A-Za-z][A-Za-z0-9_-]{0,31})$/;

/** Checks the `by` option of a policy. */
function checkDimension({ by }: Policy, path: string, faults: Faults): void {
  if (by !== undefined && !(typeof by === "string" && DIMENSION_NAME.test(by))) {
    faults.add(`${path}.by`, by, DIMENSION);
  }
}

/** Checks that either every policy has a `by` or none does. */
function checkDimensions(policies: readonly CompiledPolicy[], faults: Faults): void {
  const without = policies.findIndex(({ by }) => by === undefined);
  if (without >= 0 && policies.some(({ by }) => by !== undefined)) {
    faults.add(`policies[${without}].by`, undefined, NO_DIMENSION);
  }
}

/** The dimension that is the client's address, as the source of that name reads it. */
const ADDRESS = "ip";

export function byTextOrDimensions(context: LimiterContext<CoreSettings>): Identify {
  return context.settings.policies[0]!.by === undefined ? byText(context) : byDimensions(context);
}

function byDimensions(context: LimiterContext<CoreSettings>): Identify {
  const { policies } = context.settings;
  const groups = groupsOf(context);
  const names = [...new Set(policies.map(({ by }) => by!))];

  function find(
    identity: Identity,
    cost: Cost | undefined,
    takesPart: TakesPart,
  ): Groups | Promise<Groups> {
    if (typeof identity !== "object" || identity === null) {
      throw new TidegateError(
        "ERR_IDENTITY",
        `The identity must be an object with what policies count by: ${names.join(", ")}.`,
      );
    }
    const found: PartitionRequest[] = [];
    let hashing: Promise<void>[] | undefined;
    for (const group of groups) {
      const dimension = group.policies[0]!.by!;
      if (!takesPart(identity, dimension)) continue;
      const key = keyIn(identity, dimension);
      const at = found.length;
      found.push(askedOf(group, typeof key === "string" ? key : "", cost, policies));
      if (typeof key === "string") continue;
      const hashed = key.then((partition) => void (found[at] = { ...found[at]!, partition }));
      (hashing ??= []).push(hashed);
    }
    if (found.length === 0) {
      throw new TidegateError(
        "ERR_IDENTITY",
        `The identity has none of the dimensions that policies count by: ${names.join(", ")}.`,
      );
    }
    return hashing ? Promise.all(hashing).then(() => found) : found;
  }

  return {
    groupsFor: (identity, cost) => find(identity, cost, decides),
    ownGroupsFor: (identity) => find(identity, undefined, isNamed),
  };
}

function keyIn(identity: Dimensioned, dimension: string): string | Promise<string> {
  if (dimension.endsWith(EVERYBODY)) return EVERYBODY;
  const value = identity[dimension]!;
  // Other spellings of an address, and the other addresses of its /64, belong to the same client.
  return partitionKey(dimension === ADDRESS ? (ipPartition(value) ?? value) : value);
}

type TakesPart = (identity: Dimensioned, dimension: string) => boolean;
const isNamed: TakesPart = (identity, dimension) =>
  Object.hasOwn(identity, dimension) && identity[dimension] !== undefined;

/** Policies that all clients share take part in every decision. */
const decides: TakesPart = (identity, dimension) =>
  dimension === EVERYBODY || isNamed(identity, dimension);
