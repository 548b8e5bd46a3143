import { describe, expect, test } from "vitest";

import { readQuery } from "../../src/partition/source-reader.ts";
import { identify } from "./identify.ts";

const read = (query: string) => readQuery("api_key")(`https://example.com/a${query}`);

describe("a query parameter", () => {
  test.each([
    ["?api_key=K", "k"],
    ["?a=1&api_key=K&b=2", "k"],
    ["?api_key=%4B", "k"],
    ["?%61pi_key=K", "k"],
    ["?api_key=K#part", "k"],
    ["?api_key=K%20", "k"],
    ["?api_key=K&api_key=K", "k"],
    ["?api_key[]=K", "k"],
    ["?api_key=a%26b", "a&b"],
    ["?api_key=a=b", "a=b"],
    [";v=1?api_key=K", "k"],
    ["?api_key=a%2Bb%2Bc", "a b c"],
  ])("of %s is %j", (query, value) => {
    expect(read(query)).toBe(value);
  });

  test.each([
    "",
    "?",
    "?api_key",
    "?api_key=",
    "?api_key=%20",
    "?api_keys=K",
    "?my_api_key=K",
    "?other=api_key=K",
    "#?api_key=K",
    "?a=1#&api_key=K",
  ])("is not there in %j", (query) => {
    expect(read(query)).toBeUndefined();
  });

  test("in a name with several separators is one in any spelling of them", () => {
    const several = (query: string) => readQuery("my_api_key")(`https://example.com/a${query}`);
    expect(several("?my.api.key=K")).toBe("k");
    expect(several("?my_api_key=J&my.api%20key=K")).toBeUndefined();
  });

  test.each([
    ["the first or the last", "?api_key=J&api_key=K"],
    ["an empty one before", "?api_key=&api_key=K"],
    ["an empty one behind", "?api_key=K&api_key="],
    ["the first of three", "?api_key=K&api_key=K&api_key=J"],
    ["a name in another case", "?api_key=J&API_KEY=K"],
    ["a name with a dot", "?api_key=J&api.key=K"],
    ["a name with a blank", "?api_key=J&api+key=K"],
    ["a name with a bracket", "?api_key=J&api[key=K"],
    ["a name behind a blank", "?api_key=J&%20api_key=K"],
    ["a name before a blank", "?api_key=J&api_key%20=K"],
    ["a list", "?api_key=J&api_key[]=K"],
    ["an item of a list", "?api_key=J&api_key[0]=K"],
    ["a name that ends at NUL", "?api_key=J&api_key%00x=K"],
    ["a name in brackets", "?api_key=J&[api_key]=K"],
    ["a name in escaped brackets", "?api_key=J&%5Bapi_key%5D=K"],
    ["a name behind a bracket", "?api_key=J&]api_key=K"],
    ["a name before a bracket", "?api_key=J&api_key]=K"],
    ["a name before a bracket and a NUL", "?api_key=J&api_key%5D%00=K"],
    ["a name behind a second question mark", "??api_key=K&api_key=J"],
    ["a name in letters that become small ones", "?api_key=J&api_%E2%84%AAey=K"],
    ["a query that begins at a semicolon", ";api_key=J?api_key=K"],
    ["a query that begins at a semicolon, alone", ";a=1&api_key=J"],
    ["a query that goes on behind a hash", "?api_key=J#&api_key=K"],
    ["a semicolon that separates", "?api_key=J;api_key=K"],
    ["a semicolon that may be part of it", "?api_key=K;J"],
  ])("is nobody's if an origin may read another value: %s", (_, query) => {
    expect(read(query)).toBeUndefined();
  });

  test("leaves others alone", () => {
    expect(read("?api_key=K&api_key_id=7&key=8;b&KEY=9&api=10&a%26api_key=J&api_key%3D=J")).toBe(
      "k",
    );
  });

  test("is one value in any case, and with anything behind a NUL", () => {
    const spellings = [
      "Jörg",
      "J%C3%B6rg",
      "J%C3%96RG",
      "jörg",
      "%6A%C3%B6rg",
      "+J%C3%B6rg%00x",
      "%00j%c3%96rg",
    ];
    expect(new Set(spellings.map((value) => read(`?api_key=${value}`)))).toEqual(new Set(["jörg"]));
    expect(read("?api_key=J&api_key=j")).toBe("j");
  });

  test("with faulty escapes is read as origins that decode the others", () => {
    expect(read("?api_key=100%")).toBe("100%");
    expect(read("?api_key=%zz%61%ff")).toBe("%zza\ufffd");
  });

  test("is one value, whether an origin reads a plus as a blank or not", () => {
    expect(new Set(["a+b", "a%20b", "a%2Bb"].map((value) => read(`?api_key=${value}`)))).toEqual(
      new Set(["a b"]),
    );
  });

  test("is hashed, and kept apart from all other sources", async () => {
    const identity = await identify(["query:key"], { query: "?key=secret" });
    expect(identity).toMatch(/^query:key:[\w-]{43}$/);
    expect(await identify(["query:other"], { query: "?other=secret" })).toMatch(/^query:other:/);
    const header = await identify(["header:query"], { fields: { query: "secret" } });
    expect(header).toMatch(/^query:[\w-]{43}$/);
    expect(identity!.slice(-43)).toBe(header!.slice(-43));
  });
});
