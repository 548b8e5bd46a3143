/** The key under which a value has what it stands for, out of the way of everything else. */
export const MEANING = Symbol("meaning");

/**
 * The value of an option, made by a function that brings the code with it. Only what is imported is in a bundle.
 *
 * `Makers`: the functions that make it. TypeScript shows them where a plain value stands in its place.
 */
export interface MadeBy<Makers extends string> {
  readonly [MEANING]: { readonly option: string; readonly makers?: Makers };
  /** Shown in faults. */
  toJSON(): string;
}

/** The functions that make the value of a Redis. */
export type RedisMakers = "client(), cluster(), fromIoredis() or fromNodeRedis()";

/** The functions that make the value of a source of identities. */
export type SourceMakers = "header('x-api-key'), cookie('session') or another source";

/** The plain options that a value stands for. A class, because an option may be any object, also one with every property. */
export class Meaning {
  readonly option: string;
  /** The plain options for which it stands: those that rules have as data. */
  readonly plain: Readonly<Record<string, unknown>>;
  /** The code that acts on them. */
  readonly features: object;

  constructor(option: string, plain: Readonly<Record<string, unknown>>, features: object) {
    this.option = option;
    this.plain = plain;
    this.features = features;
  }
}

/** Makes the value of an option. It is checked where the limiter is made, with all others. */
export function optionValue<Makers extends string>(
  option: string,
  plain: Readonly<Record<string, unknown>>,
  features: object,
): MadeBy<Makers> {
  const meaning = new Meaning(option, plain, features);
  return { [MEANING]: meaning, toJSON: () => `(a value of ${option})` };
}

/** An argument that untyped code may have left out, as a value that checks refuse: `undefined` would mean the default. */
export function given<Value>(value: Value): Value | null {
  return value ?? null;
}

/** The meaning of a made value; `undefined` for a plain one. */
export function meaningOf(value: unknown): Meaning | undefined {
  const meaning = (value as MadeBy<string> | null | undefined)?.[MEANING];
  return meaning instanceof Meaning ? meaning : undefined;
}
