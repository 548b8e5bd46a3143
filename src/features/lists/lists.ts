import type { Faults } from "../../options/faults.ts";
import { ALLOWED_DIGEST, HEADER_IDENTITY, LIST, LISTS } from "../../options/messages.ts";
import { isRecord } from "../../options/record.ts";
import { checkOptions } from "../../options/unknown-options.ts";
import { compileList, type Covers, setLatest, type Subject } from "./compile-list.ts";
import { type Entry, type IdentityForm, type Kind, readEntry } from "./list-entry.ts";
import type { ListOptions } from "./list-options.ts";

/** Compiled lists. */
export interface Lists {
  /** The kinds of entries, each with the places of all that are of it. */
  readonly kinds: ReadonlyMap<Kind, readonly { readonly path: string; readonly value: unknown }[]>;
  /** The identities of all entries, spelt as they are looked up. */
  readonly identities: readonly string[];
  /** Until when each digest is refused, in milliseconds since 1970. */
  readonly digests: ReadonlyMap<string, number>;
  /**
   * The lists' answer about a request. `allow` wins, because an exemption is deliberate, often for a client inside a
   * denied range. Where addresses are denied, a client whose address is not known is `"unknown"`: it may have one of them.
   */
  find(subject: Subject, nowMs: number): "exempt" | "blocked" | "unknown" | undefined;
}

const ANY_TEXT: IdentityForm = { spell: (identity) => identity, fault: HEADER_IDENTITY };

/** Checks lists and compiles them; `undefined` if there are none. Every faulty entry is reported. */
export function compileLists(
  lists: unknown,
  path: string,
  faults: Faults,
  form: IdentityForm = ANY_TEXT,
): Lists | undefined {
  if (lists === undefined) return undefined;
  if (!isRecord(lists)) {
    faults.add(path, lists, LISTS);
    return undefined;
  }
  checkOptions(lists, ["allow", "deny"], `${path}.`, faults);
  const kinds = new Map<Kind, { path: string; value: unknown }[]>();
  const identities = new Set<string>();
  const digests = new Map<string, number>();
  let addressesDeniedUntilMs = -Infinity;

  function compile(name: "allow" | "deny"): Covers {
    const { [name]: list = [] } = lists as ListOptions;
    if (!Array.isArray(list)) faults.add(`${path}.${name}`, list, LIST);
    const entries: Entry[] = [];
    // Array.from visits the holes of a list, forEach() does not.
    Array.from(Array.isArray(list) ? list : []).forEach((item: unknown, i) => {
      const entry = readEntry(item, form, `${path}.${name}[${i}]`, faults);
      if (!entry) return;
      const { kind } = entry;
      const value = (item as Record<Kind, unknown>)[kind];
      if (kind === "digest") {
        if (name === "deny") setLatest(digests, entry.names, entry.untilMs);
        else faults.add(`${path}.allow[${i}].digest`, value, ALLOWED_DIGEST);
        return;
      }
      entries.push(entry);
      if (kind === "identity") identities.add(entry.names);
      if (kind === "cidr" && name === "deny") {
        addressesDeniedUntilMs = Math.max(addressesDeniedUntilMs, entry.untilMs);
      }
      const place = { path: `${path}.${name}[${i}].${kind}`, value };
      const places = kinds.get(kind);
      if (places) places.push(place);
      else kinds.set(kind, [place]);
    });
    return compileList(entries);
  }

  const [allows, denies] = [compile("allow"), compile("deny")];
  return {
    kinds,
    identities: [...identities],
    digests,
    find(subject, nowMs) {
      if (allows(subject, nowMs)) return "exempt";
      if (denies(subject, nowMs)) return "blocked";
      return subject.address === null && addressesDeniedUntilMs > nowMs ? "unknown" : undefined;
    },
  };
}
