import fc from "fast-check";

import { hostileValue } from "./hostile.ts";
import { realize } from "./made.ts";

/** One change of a configuration, as data, so that a counterexample can be read. */
export interface Change {
  /** `["policies", "0", "limit"]`; the whole of it when empty. */
  readonly path: readonly string[];
  readonly kind: "replace" | "delete" | "add" | "leave a hole";
  readonly value: unknown;
}

/** One to three changes of any of these. */
export function changesOf(...sound: object[]): fc.Arbitrary<readonly Change[]> {
  const change = fc.record({
    path: fc.constantFrom<string[][]>([], ...sound.flatMap((whole) => pathsOf(whole, []))),
    kind: fc.constantFrom<Change["kind"]>("replace", "replace", "delete", "add", "leave a hole"),
    value: hostileValue,
  });
  return fc.array(change, { minLength: 1, maxLength: 3 });
}

export function applyChanges(sound: object, changes: readonly Change[]): unknown {
  const root = { whole: sound as unknown };
  for (const { path, kind, value } of changes) {
    const steps = ["whole", ...path];
    const last = steps.pop()!;
    const owner = steps.reduce<unknown>(descend, root);
    // An earlier change may have removed the subject of this one.
    if (!isPlain(owner)) continue;
    if (kind === "replace") Reflect.set(owner, last, realize(value));
    else if (kind === "add") Reflect.set(owner, `${last}x`, realize(value));
    else if (kind === "delete" && Array.isArray(owner)) owner.splice(Number(last), 1);
    else Reflect.deleteProperty(owner, last);
  }
  return root.whole;
}

/** Without running any getter. */
function descend(value: unknown, step: string): unknown {
  if (!isPlain(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, step)?.value;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

function pathsOf(value: unknown, path: readonly string[]): string[][] {
  const keys = isPlain(value) ? Object.keys(value) : [];
  return keys.flatMap((key) => {
    const inner = [...path, key];
    return [inner].concat(pathsOf(descend(value, key), inner));
  });
}
