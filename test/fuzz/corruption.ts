import fc from "fast-check";
import type { Redis } from "ioredis";

/** The value under a key: a string, or the fields of a hash. */
export type Value = Buffer | Readonly<Record<string, Buffer>>;

/** Something that happened to a value, as data, so that a counterexample can be read. */
export interface Mutation {
  readonly kind: "flip a bit" | "keep the head" | "keep the tail" | "insert" | "overwrite" | "drop";
  /** As a share of the length. */
  readonly at: number;
  readonly bit: number;
  readonly bytes: Uint8Array;
  /** Which field of a hash. */
  readonly field: number;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(
    "flip a bit",
    "keep the head",
    "keep the tail",
    "insert",
    "overwrite",
    "drop",
  ),
  // More often near the front, where the headers are.
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }).map((share) => share ** 2),
  bit: fc.nat(7),
  bytes: fc.uint8Array({ maxLength: 40 }),
  field: fc.nat(2),
});

export function mutate(value: Value, mutations: readonly Mutation[]): Value {
  return mutations.reduce<Value>((mutated, mutation) => {
    if (Buffer.isBuffer(mutated)) return mutateBytes(mutated, mutation);
    const names = Object.keys(mutated);
    const name = names[mutation.field % names.length];
    if (name === undefined) return mutated;
    const { [name]: old, ...others } = mutated;
    return mutation.kind === "drop" ? others : { ...others, [name]: mutateBytes(old!, mutation) };
  }, value);
}

function mutateBytes(value: Buffer, { kind, at, bit, bytes }: Mutation): Buffer {
  const index = Math.floor(at * value.length);
  const [head, tail] = [value.subarray(0, index), value.subarray(index)];
  switch (kind) {
    case "flip a bit": {
      const flipped = Buffer.from(value);
      if (index < value.length) flipped[index]! ^= 1 << bit;
      return flipped;
    }
    case "keep the head":
      return head;
    case "keep the tail":
      return tail;
    case "insert":
      return Buffer.concat([head, bytes, tail]);
    case "overwrite":
      return Buffer.concat([head, bytes, tail.subarray(bytes.length)]);
    case "drop":
      return Buffer.alloc(0);
    default:
      return kind satisfies never;
  }
}

/** Values that no algorithm wrote, many of them made to look as if one had, at times near `now` and far from it. */
export function foreign(now: number, window: number): fc.Arbitrary<Value> {
  const near = fc
    .double({ min: -4, max: 4, noNaN: true })
    .map((gap) => `${Math.round(now + gap * window)}`);
  const numeral = fc.oneof(
    near,
    near.map((time) => `${time}.5`),
    fc.integer({ min: -3, max: 60 }).map(String),
    fc.double().map(String),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    fc.constantFrom(..."inf|-inf|nan|0x7f|-0|1e308|-1e308|5e-324| 7 |+7|07||,|:|1:1|1:".split("|")),
  );
  const time = fc.oneof({ weight: 9, arbitrary: near.map(Number) }, fc.nat(40), fc.maxSafeNat());
  const ring = fc
    .tuple(fc.array(time, { minLength: 1, maxLength: 42 }), fc.nat(4), fc.nat(42))
    .map(([times, more, tail]) => {
      const pages = Math.ceil(times.length / 8) + more;
      const header = [bigEndian(0, 7), bigEndian(pages, 2), bigEndian(tail, 3)];
      header.push(bigEndian(times.length, 3), bigEndian(times.at(-1)!, 7));
      const ring = Buffer.alloc(56 * pages);
      ring.set(Buffer.concat(times.map((unit) => bigEndian(unit, 7))));
      return Buffer.concat([...header, ...(pages > 1 ? [ring.subarray(0, 56)] : []), ring]);
    });
  const count = fc.oneof(fc.nat(60), fc.nat(0xffffffff));
  const counts = fc
    .tuple(time, fc.array(count, { minLength: 1, maxLength: 12 }))
    .map(([start, list]) =>
      Buffer.concat([bigEndian(start, 7), ...list.map((n) => bigEndian(n, 4))]),
    );
  const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
  const number = numeral.map((text) => Buffer.from(text));
  const field = fc.constantFrom("start", "current", "previous", "used");
  return fc.oneof(
    bytes,
    ring,
    counts,
    number,
    fc
      .tuple(numeral, fc.array(numeral, { maxLength: 70 }))
      .map(([head, rest]) => Buffer.from(`${head}:${rest.join(",")}`)),
    fc.dictionary(field, fc.oneof({ weight: 5, arbitrary: number }, bytes), { minKeys: 1 }),
  );
}

/** As the log and the windows keep their numbers. */
function bigEndian(number: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(Math.max(0, number)));
  return bytes.subarray(8 - length);
}

export async function readValue(redis: Redis, key: string): Promise<Value | undefined> {
  const type = await redis.type(key);
  if (type === "none") return undefined;
  return type === "hash" ? redis.hgetallBuffer(key) : ((await redis.getBuffer(key)) ?? undefined);
}

export async function plant(redis: Redis, key: string, value: Value): Promise<void> {
  if (Buffer.isBuffer(value)) await redis.set(key, value);
  else if (Object.keys(value).length > 0) await redis.hset(key, value);
}
