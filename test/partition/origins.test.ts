import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { methodsInstead } from "../../src/gateway/rules/methods.ts";
import { decode } from "../../src/partition/decode.ts";
import { readCookie, readQuery } from "../../src/partition/source-reader.ts";
import { random } from "../support/random.ts";
import { least, runs } from "../support/runs.ts";
import { COOKIE, KEY, METHOD, type Readers, startReaders } from "./readers.ts";

let readers: Readers;
beforeAll(async () => {
  readers = await startReaders();
});
afterAll(() => readers?.stop());

/** Texts that may stand before a name, in the place of its underscore, behind it, and as a value. */
const BEFORE = " + %20 ? [ [[ ] %5B %5b%5D [] .".split(" ").concat("", "", "", "");
const UNDERSCORE = "_ _ _ _ %5F . + %2e [ %5b %20".split(" ");
const BEHIND = "%00 %00x [] [x] ] [ %5B%5D %5d + %00[ [][] .x".split(" ").concat("", "", "", "");
const VALUES = "DELETE DELETE delete %44ELETE DELETE%00 +DELETE PUT K J k %4B K+ K%00x 1"
  .split(" ")
  .concat("");

const escape = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

function speller(seed: number) {
  const draw = random(seed);
  const pick = <T>(list: readonly T[]) => list[Math.floor(draw() * list.length)]!;
  const letter = (each: string) => {
    const chance = draw();
    if (chance < 0.05) return escape(each);
    return chance < 0.1 ? each.toUpperCase() : each;
  };
  const name = (plain: string) =>
    pick(BEFORE) +
    [...plain].map((each) => (each === "_" ? pick(UNDERSCORE) : letter(each))).join("") +
    pick(BEHIND);
  const pair = (plain: string) => `${draw() < 0.1 ? "x" : name(plain)}=${pick(VALUES)}`;
  return {
    path: () =>
      `/${pick(["", "", "", "a;v=1", `a;${pair(KEY)}`, `a;${pair(METHOD)}`])}?${Array.from({ length: 1 + Math.floor(draw() * 3) }, () => pair(draw() < 0.5 ? METHOD : KEY)).join(pick(["&", "&", ";"]))}`,
    cookie: () =>
      Array.from({ length: 1 + Math.floor(draw() * 2) }, () => pair(COOKIE)).join(
        pick(["; ", ";", ", "]),
      ),
  };
}

/** All texts in what an origin has read. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A value without what some origin ignores in it. */
const core = (value: string) =>
  value
    .replaceAll("+", " ")
    .replace(/^[\s\0]+/, "")
    .split("\0")[0]!
    .trim();

describe("whatever the spelling of a name", () => {
  test("an origin sees no method that the limiter does not count, and no key or cookie that it counts as another", async () => {
    const { path: address, cookie } = speller(3);
    let found = 0;
    const escaped: unknown[] = [];
    for (let run = 0; run < runs(1_500); run++) {
      const [path, field] = [address(), cookie()];
      const methods = methodsInstead(new Request(`http://gateway.example${path}`));
      const key = readQuery(KEY)(path);
      const session = readCookie(COOKIE)(field);
      for (const [origin, read] of await readers.read(path, field)) {
        const [asked, keys, sessions] = [METHOD, KEY, COOKIE].map((name) =>
          textsIn(read[name])
            // Koa leaves a cookie as it is.
            .map((text) => core(name === COOKIE ? decode(text) : text))
            .filter((text) => text !== ""),
        );
        found += asked!.length + keys!.length + sessions!.length;
        const missed = asked!.filter(
          (text) => /^[a-z]+$/i.test(text) && !methods.has(text.toUpperCase()),
        );
        const others = keys!.filter((text) => key !== undefined && text.toLowerCase() !== key);
        const unseen = sessions!.filter((text) => session !== undefined && text !== session);
        if (missed.length + others.length + unseen.length > 0)
          escaped.push({ origin, path, field, read, key, session });
      }
    }
    expect(escaped).toEqual([]);
    expect(found).toBeGreaterThan(least(1_000));
  });

  test("a key or cookie that is sent once is read as origins read it", async () => {
    const [path, field] = [`/?a=1&${KEY}=k%31&b=2`, `a=1; ${COOKIE}=c1; b=2`];
    expect([readQuery(KEY)(path), readCookie(COOKIE)(field)]).toEqual(["k1", "c1"]);
    for (const [origin, { [KEY]: key, [COOKIE]: session = "c1" }] of await readers.read(
      path,
      field,
    )) {
      expect([origin, key, session]).toEqual([origin, "k1", "c1"]);
    }
  });
});
