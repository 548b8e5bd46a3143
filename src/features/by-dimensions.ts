import { type Identify, byText, type Groups, askedOf, partitionKey } from "../decide/identify.ts";
import { type LimiterContext, type CoreSettings, groupsOf } from "../decide/limiter-context.ts";
import type { Identity, Cost, Dimensioned } from "../decide/limiter-types.ts";
import type { PartitionRequest } from "../decide/step.ts";
import { TidegateError } from "../options/errors.ts";
import { ipPartition } from "../partition/ip-address.ts";
import { EVERYBODY } from "../partition/key-text.ts";

/** The dimension that is the client's address, as the source of that name reads it. */
const ADDRESS = "ip";

/** Reads identities as texts, or by dimensions if policies have `by`. */
export function byTextOrDimensions(context: LimiterContext<CoreSettings>): Identify {
  return context.settings.policies[0]!.by === undefined ? byText(context) : byDimensions(context);
}

/** For policies each of which has a dimension. */
export function byDimensions(context: LimiterContext<CoreSettings>): Identify {
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

/** Whether a dimension of policies takes part for this identity. */
type TakesPart = (identity: Dimensioned, dimension: string) => boolean;
const isNamed: TakesPart = (identity, dimension) =>
  Object.hasOwn(identity, dimension) && identity[dimension] !== undefined;

/** Policies that all clients share take part in every decision. */
const decides: TakesPart = (identity, dimension) =>
  dimension === EVERYBODY || isNamed(identity, dimension);
