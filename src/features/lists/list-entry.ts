import type { FaultKind, Faults, Refuse } from "../../options/faults.ts";
import {
  ASN,
  COUNTRY as COUNTRY_FAULT,
  ENTRY,
  ENTRY_IDENTITY,
  MOMENT,
} from "../../options/messages.ts";
import { parseMoment } from "../../options/moment.ts";
import { isRecord } from "../../options/record.ts";
import { checkOptions } from "../../options/unknown-options.ts";
import { COUNTRY, isAsn, MAX_ASN } from "../../partition/platform-facts.ts";
import { parseCidr, type Range } from "./address-ranges.ts";

/** The kinds of values by which an entry names clients. */
const KINDS = ["cidr", "identity", "asn", "country"] as const;
export type Kind = (typeof KINDS)[number] | "digest";

/** The values that an entry of each kind is compared with. */
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
  /** That of a text that no request can match there. */
  readonly fault: FaultKind;
  /** Set if entries may name a client by its digest. */
  readonly digest?: {
    readonly isOne: (digest: unknown) => boolean;
    readonly fault: FaultKind;
  };
}

/** Reads the value that entries of a kind are compared with, or refuses it. `hide` refuses a value that may be a secret. */
const READERS: {
  readonly [K in Kind]: (
    value: unknown,
    form: IdentityForm,
    refuse: Refuse,
    hide: Refuse,
  ) => Names[K] | undefined;
} = {
  cidr: (value, _form, refuse) => parseCidr(value, refuse),
  identity(value, form, refuse, hide) {
    if (typeof value !== "string" || value === "") return refuse(ENTRY_IDENTITY);
    return form.spell(value) ?? hide(form.fault);
  },
  asn: (value, _form, refuse) => (isAsn(value) ? value : refuse(ASN, MAX_ASN)),
  country: (value, _form, refuse) =>
    typeof value === "string" && COUNTRY.test(value) ? value : refuse(COUNTRY_FAULT),
  digest: (value, { digest }, refuse) =>
    digest!.isOne(value) ? (value as string) : refuse(digest!.fault),
};

/** Checks an entry; `undefined` after a fault. */
export function readEntry(
  value: unknown,
  form: IdentityForm,
  path: string,
  faults: Faults,
): Entry | undefined {
  if (!isRecord(value)) {
    faults.add(path, value, ENTRY);
    return undefined;
  }
  const before = faults.list.length;
  const known: readonly Kind[] = form.digest ? [...KINDS, "digest"] : KINDS;
  checkOptions(value, [...known, "until"], `${path}.`, faults);
  const misspelt = faults.list.length > before;
  const { until, ...entry } = value as Partial<Record<Kind | "until", unknown>>;
  const untilMs = until === undefined ? Infinity : parseMoment(until);
  if (untilMs === undefined) faults.add(`${path}.until`, until, MOMENT);

  const kinds = known.filter((kind) => entry[kind] !== undefined);
  // An identity may be a secret, so that only the names are shown.
  if (kinds.length > 1) faults.add(path, kinds.join(" and "), ENTRY);
  // An unknown name most likely stands for the missing one.
  if (kinds.length === 0 && !misspelt) faults.add(path, value, ENTRY);
  const refuser =
    (kind: Kind, shown: unknown): Refuse =>
    (why, ...values) => {
      faults.add(`${path}.${kind}`, shown, why, ...values);
    };
  const names = kinds.map((kind) =>
    READERS[kind](entry[kind], form, refuser(kind, entry[kind]), refuser(kind, "(hidden)")),
  );
  return faults.list.length === before
    ? ({ kind: kinds[0], names: names[0], untilMs } as Entry)
    : undefined;
}
