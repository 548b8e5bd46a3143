import { expect, test } from "vitest";

import { expandStructs } from "../../scripts/build-lua/struct.ts";
import { expandNumbers } from "../../src/store/redis/expand-numbers.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();

test("numbers are read from bytes, and their variables declared or assigned to", () => {
  expect(expandStructs("local a, b = struct.unpack('>I1 I3', value, 5)")).toBe(
    "bytes4 = string.byte(value, 5, 8)\nlocal a, b = number1, number3",
  );
  expect(expandNumbers("bytes4=string.byte(value,5,8)\nlocal a,b=number1,number3")).toBe(
    "local _0,_1,_2,_3=string.byte(value,5,8)\nlocal a,b=_0,((_1)*256+_2)*256+_3",
  );
  expect(expandStructs("a = struct.unpack('>I2', value, at)")).toBe(
    "bytes2 = string.byte(value, at, at + 1)\na = number2",
  );
});

test("numbers become bytes in the middle of a statement", () => {
  expect(expandStructs("f(struct.pack('>I1 I3', a, b) .. c)")).toBe(
    "f(string.char(char1(a), char3(b)) .. c)",
  );
  expect(expandNumbers("f(string.char(char1(a),char3(b))..c)")).toBe(
    "f(string.char(a,(b-b%2^16)/2^16,(b-b%2^8)/2^8%256,b%256)..c)",
  );
});

/** Numbers at the edges of each width, and some in between; below 2^53, as larger ones are not exact. */
function numbersOf(width: number): number[] {
  const most = Math.min(2 ** (8 * width), 2 ** 53) - 1;
  return [0, 1, 255, 256, 65_535, 0x01_02_03_04_05_06, most / 3, most / 7, most - 1, most]
    .map(Math.floor)
    .filter((number) => number <= most);
}

test.for([1, 2, 3, 4, 5, 6, 7])(
  "%i bytes are those of Redis's struct, both ways",
  async (width) => {
    const source = `
    local number, other = ARGV[1] + 0, ARGV[2] + 0
    local bytes = struct.pack('>I${width} I2 I${width}', number, other, number)
    local first, second, third = struct.unpack('>I${width} I2 I${width}', bytes, 1)
    local at = ${width + 1}
    local again = struct.unpack('>I2', bytes, at)
    local hex = string.gsub(bytes, '.', function(one) return string.format('%02x', string.byte(one)) end)
    return string.format('%s %.0f %.0f %.0f %.0f', hex, first, second, third, again)`;
    const expanded = expandNumbers(expandStructs(source));
    expect(expanded).not.toContain("struct");
    for (const number of numbersOf(width)) {
      const reply = await redis.eval(expanded, 0, number, 513);
      expect(reply).toBe(await redis.eval(source, 0, number, 513));
      expect(reply).toContain(` ${number} 513 ${number} 513`);
    }
  },
);

test.for([
  ["local a = struct.unpack('<I4', value, 1)", "'<I4' is not a format like '>I7 I4'"],
  ["local a = struct.unpack('>i4', value, 1)", "'>i4' is not a format like '>I7 I4'"],
  ["local a = struct.unpack('>I', value, 1)", "'>I' is not a format like '>I7 I4'"],
  ["local a = struct.unpack('I4', value, 1)", "'I4' is not a format like '>I7 I4'"],
  ["local a, b = struct.unpack('>I7I4', value, 1)", "'>I7I4' is not a format like '>I7 I4'"],
  ["local a = struct.unpack(format, value, 1)", "'' is not a format like '>I7 I4'"],
  ["local a = struct.unpack('>I8', value, 1)", "'>I8' has a number that is not of 1 to 7 bytes"],
  ["local a = struct.unpack('>I0', value, 1)", "'>I0' has a number that is not of 1 to 7 bytes"],
  ["local a = struct.unpack('>I7 I4', value, 1)", "'>I7 I4' has 2 numbers, not 1"],
  ["local a, b = struct.unpack('>I7', value, 1)", "'>I7' has 1 numbers, not 2"],
  ["x = struct.pack('>I7 I4', a)", "'>I7 I4' has 2 numbers, not 1"],
  ["x = struct.pack('>I7', a + 1)", "struct.pack takes names, not 'a + 1'"],
  ["local a = struct.unpack('>I7', f(), 1)", "struct.unpack takes a format, a name and a position"],
  [
    "local a = struct.unpack('>I7', value, 1, 2)",
    "struct.unpack takes a format, a name and a position",
  ],
  ["local a = struct.unpack('>I7', value)", "struct.unpack reads from a literal or a name on"],
  [
    "local a = struct.unpack('>I7', value, 4 * i)",
    "struct.unpack reads from a literal or a name on",
  ],
  ["f(struct.unpack('>I7', value, 1))", "struct is used in a way that the build does not know"],
  ["x = struct.size('>I7')", "struct is used in a way that the build does not know"],
  ["local pack = struct.pack", "struct is used in a way that the build does not know"],
  ["local _1 = 1; x = struct.pack('>I1', _1)", "the name _1 is the build's"],
])("%s: %s", ([source, error]) => {
  expect(() => expandStructs(source!)).toThrow(`lua: ${error}`);
});
