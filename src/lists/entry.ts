import type { Faults } from "../options/faults.ts";
import { isRecord } from "../options/record.ts";
import { checkOptions } from "../options/unknown-options.ts";
import { COUNTRY, isAsn, MAX_ASN } from "../partition/platform-facts.ts";
import { parseCidr } from "./cidr.ts";
import { MOMENT_REMEDY, parseMoment } from "./moment.ts";
import type { Range } from "./ranges.ts";

/** By what an entry names clients. */
const KINDS = ["cidr", "identity", "asn", "country"] as const;
export type Kind = (typeof KINDS)[number] | "digest";

/** What an entry of each kind is compared with. */
interface Names {
  readonly cidr: Omit<Range, "untilMs">;
  readonly identity: string;
  readonly asn: number;
  readonly country: string;
  readonly digest: string;
}

/** A checked entry. */
export type Entry = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly names: Names[K];
    /** When the entry ends, in milliseconds since 1970; `Infinity` for never. */
    readonly untilMs: number;
  };
}[Kind];

/**
 * How identities are written where the lists are used: brings one into the spelling that it is looked up in. `undefined`
 * for a text that no request can match there.
 */
export interface IdentityForm {
  readonly spell: (identity: string) => string | undefined;
  readonly remedy: string;
  /** Where entries may name a client by its digest: the remedy for a text that is none. */
  readonly digestRemedy?: (digest: unknown) => string | undefined;
}

const ENTRY_REMEDY =
  'Give exactly one of cidr, identity, asn and country, such as cidr "203.0.113.0/24", and until where it is to end.';
const IDENTITY_REMEDY = "Give the identity as a text of at least one character.";
const ASN_REMEDY = `Give a number from 1 to ${MAX_ASN} without "AS", such as 64496.`;
const COUNTRY_REMEDY = 'Give two capitals of ISO 3166-1, such as "CH", or "T1" for Tor.';

/** Reads what entries of a kind are compared with, or adds a fault with a remedy. */
const READERS: {
  readonly [K in Kind]: (
    value: unknown,
    form: IdentityForm,
    fault: (remedy: string, shown?: string) => undefined,
  ) => Names[K] | undefined;
} = {
  cidr(value, _form, fault) {
    const range = parseCidr(value);
    return typeof range === "string" ? fault(range) : range;
  },
  identity(value, form, fault) {
    if (typeof value !== "string" || value === "") return fault(IDENTITY_REMEDY);
    return form.spell(value) ?? fault(form.remedy, "(hidden)");
  },
  asn: (value, _form, fault) => (isAsn(value) ? value : fault(ASN_REMEDY)),
  country: (value, _form, fault) =>
    typeof value === "string" && COUNTRY.test(value) ? value : fault(COUNTRY_REMEDY),
  digest(value, form, fault) {
    const remedy = form.digestRemedy?.(value);
    return remedy === undefined ? (value as string) : fault(remedy);
  },
};

/** Checks an entry; `undefined` after a fault. */
export function readEntry(
  given: unknown,
  form: IdentityForm,
  path: string,
  faults: Faults,
): Entry | undefined {
  if (!isRecord(given)) {
    faults.add(path, given, ENTRY_REMEDY);
    return undefined;
  }
  const before = faults.list.length;
  const known: readonly Kind[] = form.digestRemedy ? [...KINDS, "digest"] : KINDS;
  checkOptions(given, [...known, "until"], `${path}.`, faults);
  const misspelt = faults.list.length > before;
  const { until, ...entry } = given as Partial<Record<Kind | "until", unknown>>;
  const untilMs = until === undefined ? Infinity : parseMoment(until);
  if (untilMs === undefined) faults.add(`${path}.until`, until, MOMENT_REMEDY);

  const kinds = known.filter((kind) => entry[kind] !== undefined);
  // An identity may be a secret, so that only the names are shown.
  if (kinds.length > 1) faults.add(path, kinds.join(" and "), ENTRY_REMEDY);
  // An unknown name most likely stands for the missing one.
  if (kinds.length === 0 && !misspelt) faults.add(path, given, ENTRY_REMEDY);
  const names = kinds.map((kind) =>
    READERS[kind](entry[kind], form, (remedy, shown) => {
      faults.add(`${path}.${kind}`, shown ?? entry[kind], remedy);
    }),
  );
  return faults.list.length === before
    ? ({ kind: kinds[0], names: names[0], untilMs } as Entry)
    : undefined;
}
