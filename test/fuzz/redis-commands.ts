import fc from "fast-check";

import { hostileText } from "./hostile.ts";

/** A command as Redis describes it. */
export interface Shape {
  /** `["XGROUP", "CREATE"]` */
  readonly words: readonly string[];
  /** How many arguments it takes at least. */
  readonly least: number;
}

/** These change the Redis itself, or keep it busy: no question to a bridge. */
const LEFT_OUT = new Set(
  `REPLICAOF SLAVEOF FAILOVER MIGRATE MODULE CONFIG ACL SAVE BGSAVE BGREWRITEAOF
   PFSELFTEST`.split(/\s+/),
);

type Description = readonly [name: string, arity: number, ...unknown[]];

/** The shapes that the reply to COMMAND describes, subcommands by themselves. */
export function shapesOf(reply: readonly Description[]): Shape[] {
  return reply
    .flatMap((description) => {
      const subcommands = (description[9] ?? []) as Description[];
      return subcommands.length > 0 ? subcommands : [description];
    })
    .map(([name, arity]) => {
      const words = name.toUpperCase().split("|");
      return { words, least: Math.max(0, Math.abs(arity) - words.length) };
    })
    .filter(({ words }) => !LEFT_OUT.has(words[0]!))
    .sort((one, other) => (one.words.join(" ") < other.words.join(" ") ? -1 : 1));
}

const key = fc.constantFrom("string", "list", "hash", "set", "zset", "stream", "none");
const argument = fc.oneof(
  { weight: 3, arbitrary: key },
  fc.constantFrom<unknown>("0", "1", "-1", "*", "(1", "+inf", "-", "+", "$", ">", 0, 1, 2, -1, 1.5),
  fc.constantFrom("NX", "EX", "GET", "COUNT", "STREAMS", "GROUP", "LIMIT", "WITHSCORES", "LEFT"),
  fc.constantFrom<unknown>(2 ** 53, -(2 ** 63), Infinity, true, null, [], {}, [1, ["x"]], {
    a: null,
  }),
  hostileText,
  fc.jsonValue({ maxDepth: 2 }),
);

/** Commands as JSON: of those that there are, mostly with as many arguments as they take, and others. */
export function commandOf(shapes: () => readonly Shape[]): fc.Arbitrary<unknown[]> {
  const known = fc
    .tuple(fc.nat(), key, fc.array(argument, { minLength: 12, maxLength: 12 }), fc.nat(2))
    .map(([index, first, args, more]) => {
      const { words, least } = shapes()[index % shapes().length]!;
      return [words, [first, ...args].slice(0, least + more)].flat();
    });
  const unknown = fc.tuple(
    fc.oneof(hostileText, fc.constantFrom("get", "SeT", "blpop", "Multi", "__proto__", "toString")),
    fc.array(argument, { maxLength: 4 }),
  );
  return fc.oneof(
    { weight: 5, arbitrary: known },
    unknown.map(([name, args]) => [name as unknown].concat(args)),
  );
}
