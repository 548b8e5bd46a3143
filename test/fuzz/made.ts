/** The error that a getter or a proxy of a hostile value throws: the caller's own, which passes as it is. */
export class Trap extends Error {
  override readonly name = "Trap";
}

function trap(): never {
  throw new Trap("sprung");
}

function withGetter(name: string): object {
  return Object.defineProperty({}, name, { get: trap, enumerable: true });
}

function refersToItself(): object {
  const value: Record<string, unknown> = {};
  value["limit"] = value["policies"] = [value];
  return value;
}

function deep(): unknown {
  let value: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) value = [value];
  return value;
}

/** Values that cannot be looked at without harm, by names that can be printed. */
const MADE = {
  "an object without prototype": () => Object.create(null) as object,
  "a field called __proto__": () => JSON.parse('{"__proto__":{"limit":1,"url":"x"}}') as object,
  "an object that refers to itself": refersToItself,
  "a limit that throws": () => withGetter("limit"),
  "a url that throws": () => withGetter("url"),
  "policies that throw": () => withGetter("policies"),
  "a toJSON that throws": () => withGetter("toJSON"),
  "a toString that throws": () => ({ toString: trap, valueOf: trap, toJSON: () => undefined }),
  "a proxy that throws": () => new Proxy({}, { get: trap, has: trap, ownKeys: trap }),
  "a proxy that has everything": () => new Proxy({}, { get: () => 1, has: () => true }),
  "a proxy of an array": () => new Proxy([1], {}),
  "a function": () => () => undefined,
  "a function that throws": () => trap,
  "a hundred thousand arrays within each other": deep,
} satisfies Record<string, () => unknown>;

/** Stands for one of them until it is used, because a generator looks at its own values. */
export class Made {
  readonly what: keyof typeof MADE;

  constructor(what: keyof typeof MADE) {
    this.what = what;
  }
}

export const allMade: readonly Made[] = Object.keys(MADE).map(
  (what) => new Made(what as keyof typeof MADE),
);

/** The value that a generated one stands for. */
export function realize(value: unknown): unknown {
  return value instanceof Made ? MADE[value.what]() : value;
}
