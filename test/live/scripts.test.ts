import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";

import { liveKeys } from "../../src/store/control/live-keys.ts";
import * as scripts from "../../src/store/control/scripts.generated.ts";

const { COUNT_TRIAL, DRAFT, NOTE, PUBLISH, PUT_ENTRY, READ_HISTORY, READ_RULES } = scripts;
const { REMOVE_ENTRY, TRIAL, WITHDRAW } = scripts;

/** The author, and the line of the audit. */
const BY = ['"by":"a"', '"by":"new"'] as const;
const NOW_MS = 1_900_000_000_123;
const TIME = `{'1900000000','123456'}`;

/** The scripts on live rules of their own, at a time that stands still. */
function startRules() {
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const { state, entries, history, draft, audit } = liveKeys(crypto.randomUUID());
  const run = (script: string, keys: readonly string[], args: readonly (string | number)[] = []) =>
    redis.eval(script.replace("redis.call('TIME')", TIME), keys.length, ...keys, ...args);
  return {
    redis,
    keys: { state, entries, history, draft, audit },
    note: (kept = 9) => run(NOTE, [state, audit], ['"by":"new"', kept]),
    save: (kept = 9) => run(DRAFT, [state, draft, audit], ["", "{}", ...BY, kept]),
    publish: ({ on = 0, known = 0, document = "{}", versions = 9, kept = 9 }) =>
      run(
        PUBLISH,
        [state, history, draft, audit],
        [on, known, document, ...BY, versions, kept, ""],
      ),
    put: (field: string, entry: string, { most = 9, bytes = 1_000, kept = 9 } = {}) =>
      run(PUT_ENTRY, [state, entries, audit], [field, entry, ...BY, most, bytes, kept, ""]),
    remove: (field: string, kept = 9) =>
      run(REMOVE_ENTRY, [state, entries, audit], [field, '"by":"new"', kept]),
    withdraw: (kept = 9) => run(WITHDRAW, [state, history, audit], [0, '"by":"new"', kept]),
    raise: (kept = 9) => run(TRIAL, [state, history, audit], [1, 20, "{}", '"by":"new"', kept]),
    count: (kept = 9) =>
      run(
        COUNT_TRIAL,
        [state, history, audit],
        [1, 9, 9, 0, 0, 9, '"changes":[{"by":"new","before":', kept],
      ),
    read: () => run(READ_RULES, [state, history]),
    readHistory: () => run(READ_HISTORY, [state, history]),
  };
}

type Rules = ReturnType<typeof startRules>;

const WRITES: readonly (readonly [
  name: string,
  write: (rules: Rules, kept: number) => unknown,
  isOfTrial?: true,
])[] = [
  ["a note", ({ note }, kept) => note(kept)],
  ["a draft", ({ save }, kept) => save(kept)],
  ["a publication", ({ publish }, kept) => publish({ kept })],
  ["an entry", ({ put }, kept) => put("a", "1", { kept })],
  ["a removal", ({ remove }, kept) => remove("there", kept)],
  ["a withdrawal", ({ withdraw }, kept) => withdraw(kept)],
  ["another share", ({ raise }, kept) => raise(kept), true],
  ["a count that takes back", ({ count }, kept) => count(kept), true],
];

const TRIAL_STATE = { trial: "1", trialTerms: '{"percent":10,"maxDenied":0.5}' };

test.for(WRITES)(
  "of the audit, %s keeps as many of the newest as it says",
  async ([, write, isOfTrial]) => {
    const rules = startRules();
    const { redis, keys } = rules;
    if (isOfTrial) await redis.hset(keys.state, TRIAL_STATE);
    await redis.rpush(keys.audit, "first", "second", "third");
    await redis.hset(keys.entries, "there", "1");
    await write(rules, 3);
    expect(await redis.lrange(keys.audit, 0, -1)).toEqual([
      expect.stringContaining('"by":"new"'),
      "first",
      "second",
    ]);
  },
);

test.for(WRITES)("%s gets the time of Redis, as its revision too", async ([, write, isOfTrial]) => {
  const rules = startRules();
  const { redis, keys } = rules;
  if (isOfTrial) await redis.hset(keys.state, TRIAL_STATE);
  await redis.hset(keys.entries, "there", "1");
  await write(rules, 9);
  expect(await redis.lrange(keys.audit, 0, -1)).toEqual([
    expect.stringMatching(new RegExp(`^\\{"n":1,"at":${NOW_MS},.*"by":"new".*\\}$`)),
  ]);
  expect(await redis.hget(keys.state, "revision")).toBe("1900000000123456");
});

/** The keys that each write looks at. */
const LOOKED_AT: Readonly<Record<string, readonly (keyof Rules["keys"])[]>> = {
  "a note": ["state", "audit"],
  "a draft": ["state", "draft", "audit"],
  "a publication": ["state", "history", "draft", "audit"],
  "an entry": ["state", "entries", "audit"],
  "a removal": ["state", "entries", "audit"],
  "a withdrawal": ["state", "history", "audit"],
  "another share": ["state", "history", "audit"],
  "a count that takes back": ["state", "history", "audit"],
};

test.for(
  WRITES.flatMap(([name, write]) => LOOKED_AT[name]!.map((key) => [name, key, write] as const)),
)("%s writes nothing where %s is of another type", async ([, name, write]) => {
  const rules = startRules();
  const { redis, keys } = rules;
  const others = Object.values(keys).filter((key) => key !== keys[name]);
  await redis.zadd(keys[name], 1, "of another program");
  expect(await write(rules, 9)).toEqual([-1, keys[name], "zset"]);
  expect(await redis.zrange(keys[name], "0", "-1")).toEqual(["of another program"]);
  expect(await redis.exists(...others)).toBe(0);
});

test.for([
  ["1900000000123455", "1900000000123456"],
  ["1900000000123456", "1900000000123457"],
  // A day ahead, at most.
  ["1900086400123456", "1900086400123457"],
  ["1900086400123457", "1900000000123456"],
])("after the revision %s comes %s", async ([before, after]) => {
  const { redis, keys, note } = startRules();
  await redis.hset(keys.state, "revision", before!);
  await note();
  expect(await redis.hget(keys.state, "revision")).toBe(after);
});

test.for<[string, number]>([
  ["7", 7],
  ["1000000000", 1_000_000_000],
  ["1000000001", 0],
  ["1.5", 0],
  ["-1", 0],
  ["seven", 0],
])("the version %s counts as %i", async ([given, version]) => {
  const { redis, keys, save } = startRules();
  await redis.hset(keys.state, "version", given);
  expect(await save()).toEqual([1, version, NOW_MS]);
});

test("a publication gets a number above that of each kept version, and drops the oldest by their numbers", async () => {
  const { redis, keys, publish } = startRules();
  for (const version of [8, 9, 10, 11]) await redis.hset(keys.history, String(version), "{}");
  expect(await publish({ versions: 3 })).toEqual([1, 12, NOW_MS]);
  expect((await redis.hkeys(keys.history)).toSorted()).toEqual(["10", "11", "12"]);
});

test.for<[string, number]>([
  ['{"rules":[]}', 0],
  ['{"rules":[1]}', 1],
])("a publication of %s leaves %i drafts of another document", async ([document, drafts]) => {
  const { redis, keys, publish } = startRules();
  await redis.set(keys.draft, '{"basedOn":0,"document":{"rules":[]}}');
  await publish({ document });
  expect(await redis.exists(keys.draft)).toBe(drafts);
});

test("an entry ends at its end, and one that has ended makes room", async () => {
  const { redis, keys, put } = startRules();
  await redis.hset(keys.entries, {
    ended: `{"entry":{"until":${NOW_MS}}}`,
    stays: `{"entry":{"until":${NOW_MS + 1}}}`,
  });
  expect(await put("new", "1", { most: 2 })).toEqual([1, NOW_MS]);
  expect((await redis.hkeys(keys.entries)).toSorted()).toEqual(["new", "stays"]);
});

test("as many entries are kept as there may be, and one of them can be replaced", async () => {
  const { put, redis, keys } = startRules();
  expect(await put("a", "1", { most: 2 })).toEqual([1, NOW_MS]);
  expect(await put("b", "1", { most: 2 })).toEqual([1, NOW_MS]);
  expect(await put("c", "1", { most: 2 })).toEqual([0]);
  expect(await put("b", "2", { most: 2 })).toEqual([1, NOW_MS]);
  expect(await redis.hget(keys.entries, "b")).toBe(`{"entry":2,"at":${NOW_MS},"by":"a"}`);
});

test("entries have the bytes of their fields, too, and one that is replaced has none", async () => {
  const { put } = startRules();
  const each = "field".length + `{"entry":1,"at":${NOW_MS},"by":"a"}`.length;
  expect(await put("field", "1", { bytes: each - 1 })).toEqual([0]);
  expect(await put("field", "1", { bytes: each })).toEqual([1, NOW_MS]);
  expect(await put("field", "2", { bytes: each })).toEqual([1, NOW_MS]);
  expect(await put("other", "1", { bytes: 2 * each - 1 })).toEqual([0]);
  expect(await put("other", "1", { bytes: 2 * each })).toEqual([1, NOW_MS]);
});

test("a read is empty where keys are of another type", async () => {
  const { redis, keys, read, readHistory } = startRules();
  await redis.set(keys.state, "planted");
  await redis.set(keys.history, "planted");
  expect(await read()).toEqual(Array(10).fill(""));
  expect(await readHistory()).toEqual(["", ""]);
});

test("the head of a version is the part before its document, and ends as JSON", async () => {
  const { publish, read, readHistory } = startRules();
  await publish({ document: '{"rules":[]}' });
  const head = `{"version":1,"publishedAt":${NOW_MS},"by":"a"}`;
  const trial = Array(6).fill("");
  expect(await read()).toEqual(["1", String(NOW_MS), '{"rules":[]}', head, ...trial]);
  expect(await readHistory()).toEqual(["1", "", head]);
});
