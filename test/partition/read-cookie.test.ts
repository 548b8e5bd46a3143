import { describe, expect, test } from "vitest";

import { readCookie } from "../../src/partition/source-reader.ts";
import { identify } from "./identify.ts";

const read = readCookie("sid");

describe("a cookie", () => {
  test.each([
    ["sid=K"],
    ["a=1; sid=K; b=2"],
    ["a=1;sid=K"],
    ["sid = K "],
    ['sid="K"'],
    ["sid=%4b"],
    ["sid=K; sid=K"],
    ["theme=x, y; sid=K"],
    ["sid=K; wrong"],
  ])("is read from %s", (field) => {
    expect(read(field)).toBe("K");
  });

  test.each([null, "", "sid", "sid=", 'sid=""', "sids=K", "a=sid=K", "xsid=K"])(
    "is not there in %j",
    (field) => {
      expect(read(field)).toBeUndefined();
    },
  );

  test.each([
    ["the first or the last", "sid=J; sid=K"],
    ["an empty one", "sid=; sid=K"],
    ["a name in another case", "sid=J; SID=K"],
    ["a name that is decoded", "sid=J; s%69d=K"],
    ["a list", "sid=J; sid[]=K"],
    ["a comma that separates", "sid=J, sid=K"],
    ["a comma that separates, elsewhere", "sid=J; a=1, sid=K"],
    ["a comma that may be part of it", "sid=K,1"],
    ["a backslash that may escape", String.raw`sid="\113"`],
    ["half a quote", 'sid="K'],
    ["a blank inside", "sid=K J"],
  ])("is nobody's if an origin may read another value: %s", (_, field) => {
    expect(read(field)).toBeUndefined();
  });

  test("with faulty escapes is taken as it is", () => {
    expect(read("sid=100%")).toBe("100%");
  });

  test("keeps the case of its value", () => {
    expect(read("sid=k")).toBe("k");
  });

  test("is hashed, and kept apart from all other sources", async () => {
    const fields = { cookie: "sid=k" };
    const identity = await identify(["cookie:sid"], { fields });
    expect(identity).toMatch(/^cookie:sid:[\w-]{43}$/);
    expect(await identify(["header:cookie"], { fields })).toMatch(/^cookie:[\w-]{43}$/);
    const query = await identify(["query:sid"], { query: "?sid=K" });
    expect(query!.slice(-43)).toBe(identity!.slice(-43));
    expect(query).not.toBe(identity);
  });
});
