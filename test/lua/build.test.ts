import { createHash } from "node:crypto";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, inject, test } from "vitest";

import { cutBranches } from "../../scripts/build-lua/cut.ts";
import { meaningOf } from "../../scripts/build-lua/meaning.ts";
import { minify } from "../../scripts/build-lua/minify.ts";
import { readLua, resolveIncludes } from "../../scripts/build-lua/source.ts";
import { parse } from "../../scripts/build-lua/syntax.ts";
import { IMPLEMENTATION } from "../../src/algorithms/algorithm.ts";
import { NOTICE } from "../../src/algorithms/notice.ts";
import {
  DECIDE,
  DECIDE_ENFORCED,
  DECIDE_LOGS,
  DECIDE_ONE,
  EXTEND,
  KEY_LOCKING,
  LEASE,
  REFUND,
  TAKE,
} from "../../src/algorithms/scripts.generated.ts";
import { calendar } from "../../src/features/calendar-feature.ts";
import type { Algorithm, Policy } from "../../src/policy/policy.ts";
import { sha1For, scriptFor, scriptOf } from "../../src/store/redis/script.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { concurrency, fixedWindow } from "../support/limiter/plain.ts";
import { EVERY_IMPLEMENTATION } from "../support/policy/implementations.ts";

const ALGORITHMS = Object.keys(EVERY_IMPLEMENTATION) as Algorithm[];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidegate-lua-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const DECIDING = [
  "decide-one",
  "decide-enforced",
  "decide-logs",
  "decide",
  "lease",
  "take",
] as const;
const sources = [...DECIDING, "refund", "extend"].map((name) => readLua(`lua/${name}.lua`));
const texts = minify(...sources);
const [refund, extend] = texts.slice(DECIDING.length);
const minified: Record<string, string> = Object.fromEntries(
  DECIDING.map((name, i) => [name, texts[i]!]),
);

/** A policy of each of these algorithms. */
function policiesOf(algorithms: readonly Algorithm[]) {
  if (algorithms.length === 0) return [];
  const ofCalendar = calendar.adopt([fixedWindow({ limit: 1, window: "day" })], undefined);
  const notice = { limit: 1, algorithm: "notice", [IMPLEMENTATION]: NOTICE } as unknown as Policy;
  const policies = [...everyPolicy(1, "1s"), ...ofCalendar, concurrency({ limit: 1 }), notice];
  return compile(
    algorithms.map((algorithm) => policies.find((policy) => policy.algorithm === algorithm)!),
  );
}

test.for([
  ...ALGORITHMS.map((algorithm) => ({ algorithms: [algorithm] })),
  { algorithms: [] },
  { algorithms: ALGORITHMS },
])("a script of $algorithms has the name by which Redis knows it", async ({ algorithms }) => {
  const script = scriptFor(DECIDE, policiesOf(algorithms));
  const redis = new Redis(inject("redisUrl"));
  expect(await redis.script("LOAD", script.text)).toBe(await sha1For(script, ""));
  await redis.quit();
  const name = createHash("sha1").update(KEY_LOCKING).update(script.text).digest("hex");
  expect(await sha1For(script, KEY_LOCKING)).toBe(name);
});

test.for([
  { name: "decide-one", frame: DECIDE_ONE },
  { name: "decide-enforced", frame: DECIDE_ENFORCED },
  { name: "decide-logs", frame: DECIDE_LOGS },
  { name: "decide", frame: DECIDE },
  { name: "lease", frame: LEASE },
  { name: "take", frame: TAKE },
])("the script $name of all algorithms is the whole of its file", ({ name, frame }) => {
  const whole = minified[name]!;
  const branches = [...cutBranches(whole).branches.values()];
  const chain = branches.join("elseif ");
  // Branches come in the order of their text.
  expect(scriptFor(frame, policiesOf(ALGORITHMS))).toEqual(
    scriptOf(whole.replace(chain, () => branches.sort().join("elseif "))),
  );
  expect(whole).toContain(chain);
});

test("the refund is the whole of its file, and has nothing that decides", () => {
  expect(REFUND).toBe(refund);
  expect(REFUND).not.toMatch(/consume|charge/);
  for (const algorithm of ALGORITHMS) expect(REFUND).toContain(`'${algorithm}'`);
});

test("the extending script is the whole of its file, and has no code that decides or gives back", () => {
  expect(EXTEND).toBe(extend);
  expect(EXTEND).not.toMatch(/consume|charge|ZREM/);
});

test("a script that decides has nothing that gives back", () => {
  for (const i of DECIDING.keys()) {
    expect(texts[i]).not.toMatch(/KEEPTTL|taken_at/);
    expect(sources[i]).not.toMatch(/_refund|given/);
  }
});

test("every inline function is one that a script calls", () => {
  const files = globSync("lua/**/*.lua").map((file) => readFileSync(file, "utf8"));
  const names = files.flatMap((text) =>
    [...text.matchAll(/-- @inline\n *local function (\w+)/g)].map(([, name]) => name!),
  );
  expect(names.length).toBeGreaterThan(ALGORITHMS.length);
  const programs = ["decide", "lease", "take", "refund", "extend"].map((name) =>
    resolveIncludes(`lua/${name}.lua`),
  );
  const uncalled = names.filter((name) =>
    programs.every((text) => text.split(new RegExp(`\\b${name}\\(`)).length <= 2),
  );
  expect(uncalled).toEqual([]);
});

test("a script has the algorithms of its policies alone, once, in any order", () => {
  const policies = policiesOf(["token-bucket", "fixed-window"]);
  const { text } = scriptFor(DECIDE, policies);
  expect(scriptFor(DECIDE, [...policies.toReversed(), ...policies]).text).toBe(text);
  const branches = ALGORITHMS.filter((name) =>
    text.includes(scriptOf(EVERY_IMPLEMENTATION[name].script).text),
  );
  expect(branches).toEqual(["token-bucket", "fixed-window"]);
});

test.for(["return 1", "if a == 'x' then f() elseif a == b then g() end"])(
  "where there is no chain of names, there is nothing to cut: %s",
  (program) => {
    expect(() => cutBranches(program)).toThrow("not one chain of branches");
  },
);

test("an include stands in place of its line, at its indentation", () => {
  write("inner.lua", "x = 1\n\ny = 2\n");
  const file = write("outer.lua", "do\n  -- @include inner.lua\nend\n");
  expect(resolveIncludes(file)).toBe("do\n  x = 1\n\n  y = 2\nend\n");
});

test("a program has a branch for each algorithm, with the arguments that its header and its functions name", () => {
  mkdirSync(join(folder, "algorithms"));
  const file = write("program.lua", "do\n  -- @algorithms given = NAME_refund(...)\nend\n");
  const log =
    "-- @arguments window, unused\nlocal function log_refund(value, taken_at, window) end\n";
  const slots = "local function slots_refund(now, slot) end\n";
  write("algorithms/log.lua", log);
  write("algorithms/slots.lua", slots);
  expect(resolveIncludes(file)).toBe(`do
  if algorithm == 'log' and taken_at <= now then
    -- @arguments window, unused
    local function log_refund(value, taken_at, window) end
    local window = arguments[at + 2] + 0
    given = log_refund(value, taken_at, window)
  elseif algorithm == 'slots' then
    local function slots_refund(now, slot) end
    local slot = arguments[5 * #KEYS + 3]
    given = slots_refund(now, slot)
  end
end
`);

  write("algorithms/log.lua", log.replace("@arguments window", "@arguments length"));
  expect(() => resolveIncludes(file)).toThrow("log.lua does not name window after @arguments");
  write("algorithms/log.lua", "");
  expect(() => resolveIncludes(file)).toThrow("log.lua has no function log_refund");
});

test("a later algorithm takes the names that the others leave", () => {
  const branch = (name: string, body: string) => `if algorithm == '${name}' then ${body} end`;
  const one = "local algorithm, used, left = f()\n";
  const chain = (...branches: string[]) =>
    one + branches.join("\n").replaceAll("end\nif", "elseif");
  const bucket = branch("token-bucket", "g(used, used, left)");
  const [before] = minify(chain(bucket));
  const [after] = minify(
    chain(bucket, branch("concurrency", "local more = left g(left, left, more, more, more)")),
  );
  expect(before).toContain("g(a,a,c)");
  expect(after).toContain("g(a,a,c)");
});

test("includes that go round in a circle are named", () => {
  write("b.lua", "-- @include a.lua\n");
  const file = write("a.lua", "-- @include b.lua\n");
  expect(() => resolveIncludes(file)).toThrow(
    /a\.lua includes .*b\.lua includes .*a\.lua, a cycle/,
  );
});

test.for(["-- @inlin", "-- @include", "-- @include a.lua b.lua", "--@include a.lua"])(
  "a directive that the build does not know is no comment: %s",
  (line) => {
    const file = write("a.lua", `${line}\nlocal function f() end\n`);
    expect(() => resolveIncludes(file)).toThrow(`lua: ${line} is not a directive`);
  },
);

test("comments and indentation go, and not what looks like them", () => {
  expect(minify("return '--no' -- comment\n  .. [[--]] --[[ more\n ]]")).toEqual([
    "return'--no'\n..[[--]]",
  ]);
});

test("locals get short names, and no other names do", () => {
  const source = `
    local function decide(key, cost)
      local reply = { key = key, cost = redis.call('GET', key) }
      return reply.key, cost, a
    end
    return decide(KEYS[1], 2)`;
  // `a` is another variable's name already.
  expect(minify(source)).toEqual([
    [
      "local function c(b,d)",
      "local e={key=b,cost=redis.call('GET',b)}",
      "return e.key,d,a",
      "end",
      "return c(KEYS[1],2)",
    ].join("\n"),
  ]);
});

test("text that several programs share stays the same in all of them", () => {
  expect(
    minify("local used, left = 1, 2\nreturn used + left", "local left = 3\nreturn left"),
  ).toEqual(["local b,a=1,2\nreturn b+a", "local a=3\nreturn a"]);
});

test("names in blocks apart become one, and those of a block and of a block in it do not", () => {
  const source = `
    local total = 0
    if x then
      local first = total + 1
      total = first
    else
      local second = 2
      repeat
        local third = second
      until third > total
    end`;
  expect(minify(source)).toEqual([
    [
      "local a=0",
      "if x then",
      "local b=a+1",
      "a=b",
      "else",
      "local b=2",
      "repeat",
      "local c=b",
      "until c>a",
      "end",
    ].join("\n"),
  ]);
});

test.for([
  ["local a, b = 1, 2\nreturn a", "local a, a = 1, 2\nreturn a"],
  ["local a = 1\nfor b = a, 2 do f(a) end", "local a = 1\nfor a = a, 2 do f(a) end"],
  ["local a = 1\nlocal function b() return a end", "local a = 1\nlocal function a() return a end"],
  ["local a = 1\nrepeat local b = 2 until a", "local a = 1\nrepeat local a = 2 until a"],
  ["local a = f()\nreturn a", "local a = f()\nreturn b"],
])("programs of another meaning are not the same: %s", ([one, other]) => {
  expect(meaningOf(parse(other!))).not.toEqual(meaningOf(parse(one!)));
});

test("programs of the same meaning are the same, under any names of variables", () => {
  const program = (a: string, b: string) =>
    parse(`local ${a} = 1; for ${b} = ${a}, 2 do local ${b} = ${b} end; return ${a}`);
  expect(meaningOf(program("used", "left"))).toEqual(meaningOf(program("x", "y")));
});

/** Its locals have names from several algorithms, which meet nowhere else. */
const LATECOMER = `-- @arguments window, share
-- @inline
local function latecomer(value, now, operation, cost, limit, window, share)
  local used, tat, ends, interval, slot = cost, now, window, limit, share
  local runs, divisor, previous, members = used + tat, ends + interval, slot .. value, operation
  return used + divisor, tat + runs, ends, members == previous and interval or slot, value, '0', nil
end
-- @inline
local function latecomer_refund(value, now, taken_at, cost)
  local tat, given, members = taken_at, cost, value
  return given + now, members .. tat
end
`;

test("an algorithm that comes later changes no script of the others", () => {
  const scripts = ["decide", "refund"];
  const cutsIn = (lua: string) =>
    minify(...scripts.map((name) => readLua(join(lua, `${name}.lua`))))
      .slice(0, 1)
      .map(cutBranches);
  cpSync("lua", folder, { recursive: true });
  const before = cutsIn(folder);
  write("algorithms/latecomer.lua", LATECOMER);
  for (const [i, { branches, ...around }] of cutsIn(folder).entries()) {
    const others = new Map(branches);
    expect(others.delete("latecomer")).toBe(true);
    expect({ ...around, branches: others }).toEqual(before[i]);
  }
});
