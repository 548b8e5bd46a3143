import { describe, expect, test } from "vitest";

import { partitionKey } from "../../src/decide/identify.ts";
import { identify as identityOf } from "./identify.ts";

const identify = (sources: unknown, fields: Record<string, string> | Headers) =>
  identityOf(sources, { fields });

describe("sources", () => {
  const all = { "x-api-key": "k1", "x-user-id": "u1", "cf-connecting-ip": "192.0.2.1" };
  const sources = ["header:x-api-key", "header:X-User-Id", "ip"];

  test("are asked in order, and the first that the request carries is taken", async () => {
    const byKey = await identify(sources, all);
    const { "x-api-key": _key, ...withoutKey } = all;
    const { "x-user-id": _user, ...onlyIp } = withoutKey;

    expect(byKey).toMatch(/^x-api-key:[A-Za-z0-9_-]{43}$/);
    expect(await identify(sources, withoutKey)).toMatch(/^x-user-id:[A-Za-z0-9_-]{43}$/);
    expect(await identify(sources, onlyIp)).toBe("ip:192.0.2.1");
    expect(await identify(sources, {})).toBeUndefined();
    expect(await identify(["ip", "header:x-api-key"], all)).toBe("ip:192.0.2.1");
  });

  test.each(["", " ", "\t"])("pass over a header that is %j", async (value) => {
    expect(await identify(sources, { ...all, "x-api-key": value })).toMatch(/^x-user-id:/);
  });

  test("pass over an address that is none", async () => {
    const fields = { "cf-connecting-ip": "unknown", "x-user-id": "u1" };
    expect(await identify(["ip", "header:x-user-id"], fields)).toMatch(/^x-user-id:/);
  });

  test("never let a secret be read in the partition", async () => {
    const secret = "sk_live_51H8xSecret";
    const identity = await identify(["header:authorization"], { authorization: secret });
    expect(identity).toMatch(/^authorization:[A-Za-z0-9_-]{43}$/);
    expect(identity).not.toContain(secret);
    expect(partitionKey(identity!)).toBe(identity);
  });

  test("keep the same value under two headers apart", async () => {
    const [asKey, asUser] = await Promise.all([
      identify(sources, { "x-api-key": "x" }),
      identify(sources, { "x-user-id": "x" }),
    ]);
    expect(asKey!.split(":")[1]).toBe(asUser!.split(":")[1]);
    expect(asKey).not.toBe(asUser);
  });

  test("keep a header that is called ip apart from every address", async () => {
    const named = await identify(["header:ip"], { ip: "192.0.2.1" });
    expect(named).toMatch(/^ip:[A-Za-z0-9_-]{43}$/);
  });

  test("take a value for the same with any surrounding white space, and for another by its case", async () => {
    const hashes = await Promise.all(
      ["abc", " abc ", "Abc", "\u00a0abc"].map((value) =>
        identify(["header:x-api-key"], { "x-api-key": value }),
      ),
    );
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[0]).not.toBe(hashes[2]);
    expect(hashes[0]).toBe(hashes[3]);
  });

  test("stay short for any values of the client", async () => {
    const identity = await identify(["header:x-api-key"], { "x-api-key": "k".repeat(65_536) });
    expect(identity).toHaveLength("x-api-key:".length + 43);
  });
});

/** How many identities a list of spellings comes to; none counts as one. */
async function identities(name: string, spellings: readonly string[]): Promise<number> {
  const found = spellings.map((value) => identify([`header:${name}`], { [name]: value }));
  return new Set(await Promise.all(found)).size;
}

describe("one credential", () => {
  test("is one identity, however its scheme and the blanks around its token are written", async () => {
    const schemes = ["Bearer", "bearer", "BEARER", "bEARER"];
    const blanks = ["", " ", "  ", "    ", "\t", " \t ", " ".repeat(50)];
    const spellings = schemes.flatMap((scheme) =>
      blanks.flatMap((between) =>
        blanks.map((around) => `${around}${scheme} ${between}a.b-c_d~e+f/g==${around}`),
      ),
    );
    expect(spellings).toHaveLength(196);
    expect(await identities("authorization", spellings)).toBe(1);
  });

  test("is written with its header's name in any case", async () => {
    const fields = { authorization: "Bearer abc" };
    expect(await identify(["header:Authorization"], fields)).toBe(
      await identify(["header:authorization"], fields),
    );
  });

  test("of Basic is one identity, however its base64 is written", async () => {
    const encoded = btoa("ada:pa?ss>word");
    expect(encoded).toBe("YWRhOnBhP3NzPndvcmQ=");
    const spellings = [
      encoded,
      "YWRhOnBhP3NzPndvcmQ",
      "YWRhOnBhP3NzPndvcmQ==",
      "YWRhOnBhP3NzPndvcmQ=ignored",
      // Bits that no byte has.
      "YWRhOnBhP3NzPndvcmR=",
      "YWRhOnBhP3NzPndvcmS",
      "YW.RhOn~BhP3NzPndvcmQ=",
      "YWRh OnBhP3NzPndvcmQ=",
    ];
    expect(
      await identities(
        "authorization",
        spellings.map((text) => `Basic ${text}`),
      ),
    ).toBe(1);
    for (const text of spellings) {
      // Node's decoder, as servers use it, takes all of them.
      expect(Buffer.from(text, "base64").toString()).toMatch(/^ada:pa\?ss>word/);
    }
    expect(await identities("authorization", ["Basic Pz8/", "basic Pz8_", "BASIC Pz8_="])).toBe(1);
    expect(await identities("authorization", ["Basic Pj4+", "basic Pj4-", "BASIC Pj4-="])).toBe(1);
  });

  test("of Basic that cannot be decoded is an identity all the same", async () => {
    expect(await identities("authorization", ["Basic", "Basic a", "Basic ab", "Basic !"])).toBe(4);
  });

  test("is not another one: tokens keep their case, schemes and users are told apart", async () => {
    const different = [
      "Bearer abc",
      "Bearer Abc",
      "Bearer ab c",
      "Bearer abc=",
      "bearer",
      "Basic YWRhOjE=",
      "Basic YWRhOjI=",
      "Basic ywRhOjE=",
      "Token abc",
      "abc",
      "ABC",
    ];
    expect(await identities("authorization", different)).toBe(different.length);
    // Without a scheme of its own, a field's value is all of it the credential.
    expect(await identities("x-api-key", ["Bearer abc", "bearer abc", "Bearer  abc"])).toBe(3);
  });

  test.each(["authorization", "proxy-authorization", "x-api-key", "apikey", "x-auth-token"])(
    "sent together with others in %s identifies no client: no origin reads the same of them",
    async (name) => {
      const sources = [`header:${name}`, "ip"];
      for (const lines of [
        ["Bearer abc", "Bearer junk1"],
        ["Bearer junk2", "Bearer abc"],
        ["Bearer abc", ""],
        ["Basic YWRhOjE=", "Bearer abc"],
        ["abc,junk"],
        ["Bearer YWI=", "Bearer YWM="],
        ['Digest username="ada"', "Bearer abc"],
      ]) {
        const headers = new Headers({ "cf-connecting-ip": "192.0.2.1" });
        for (const line of lines) headers.append(name, line);
        expect(await identify(sources, headers)).toBe("ip:192.0.2.1");
      }
    },
  );

  test("without a scheme identifies no client beside another one, with any values of both", async () => {
    const keys = { "x-api-key": "k{1}, k{2}", "cf-connecting-ip": "192.0.2.1" };
    expect(await identify(["header:x-api-key", "ip"], keys)).toBe("ip:192.0.2.1");
  });

  test("of several parameters is taken as it is", async () => {
    const signed = "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=0";
    expect(await identify(["header:authorization"], { authorization: signed })).toMatch(
      /^authoriz/,
    );
    const agent = "Mozilla/5.0 (KHTML, like Gecko)";
    expect(await identify(["header:user-agent"], { "user-agent": agent })).toMatch(/^user-agent:/);
    const region = { "x-key-region": "eu, us" };
    expect(await identify(["header:x-key-region"], region)).toMatch(/^x-key-region:/);
  });
});
