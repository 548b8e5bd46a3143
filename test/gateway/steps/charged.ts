/** An error with its stack takes as long as that many characters: some 20 us. */
const ERROR = 10_000;

let steps = 0;

/** How many characters and items built-in functions have been given so far. */
export function charged(): number {
  return steps;
}

type Method = (this: unknown, ...given: unknown[]) => unknown;
type Price = (on: unknown, given: readonly unknown[], answer: unknown) => number;

/** Charges each call of some functions; an error that one throws, too. */
function charge(owner: object, names: string, price: Price): void {
  for (const name of names.split(" ")) {
    const holder = owner as Record<string, Method>;
    const original = holder[name]!;
    holder[name] = function (...given) {
      try {
        const answer = original.apply(this, given);
        steps += 1 + price(this, given, answer);
        return answer;
      } catch (error) {
        steps += ERROR;
        throw error;
      }
    };
  }
}

const lengthOf = (value: unknown) => Number(Object(value).length) || 0;
const ofOwner: Price = (on) => lengthOf(on);
const ofFirst: Price = (_, [first]) => lengthOf(first);
/** The distance from where a search begins to what it finds. */
const forward: Price = (on, [, from = 0], found) =>
  (Number(found) < 0 ? lengthOf(on) : Number(found)) - Math.min(Number(from), lengthOf(on));
const backward: Price = (on, [, from = lengthOf(on)], found) => Number(from) - Number(found);

charge(String.prototype, "split includes toUpperCase toLowerCase trim trimStart trimEnd", ofOwner);
charge(String.prototype, "startsWith endsWith", ofFirst);
charge(Array.prototype, "includes concat flat sort join slice", ofOwner);
for (const owner of [String.prototype, Array.prototype]) {
  charge(owner, "indexOf", forward);
  charge(owner, "lastIndexOf", backward);
}
charge(globalThis, "decodeURI decodeURIComponent encodeURI encodeURIComponent atob btoa", ofFirst);
charge(TextEncoder.prototype, "encode", ofFirst);
charge(TextDecoder.prototype, "decode", ofFirst);

// Every match of a regular expression goes through this: it is charged with the characters that it passes over. One that
// goes back and forth over them is found by regular-expressions.test.ts.
const { exec } = RegExp.prototype;
// oxlint-disable-next-line no-extend-native -- it is counted
RegExp.prototype.exec = function (text) {
  const { length } = String(text);
  const from = this.global || this.sticky ? Math.min(this.lastIndex, length) : 0;
  const found = exec.call(this, text);
  steps += 1 + (found ? found.index + found[0].length : length) - from;
  return found;
};
