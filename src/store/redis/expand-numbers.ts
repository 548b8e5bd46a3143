/** The words that the build writes, with the width of a number in bytes. */
const WORD = /(bytes|number|char)(\d+)(?:\((\w+)\))?/g;

/**
 * Replaces words of the build by the Lua that reads numbers from bytes and writes them, the highest byte first; a bundle with the
 * words is smaller:
 *
 *     bytes9=string.byte(value,1,9)     declares a local for each byte
 *     number7,number2                   are the numbers of the next 7 bytes, and of the next 2
 *     string.char(char7(a),char2(b))    has the bytes of a and b
 */
export function expandNumbers(built: string): string {
  let read = 0;
  return built.replace(WORD, (_, word: string, width: number, name: string) => {
    const list = (make: (at: number) => string) =>
      Array.from({ length: width }, (_, at) => make(at));
    if (word === "char") return list((at) => byteOf(name, width - 1 - at, at === 0)).join();
    if (word === "number") {
      return list(() => `_${read++}`).reduce((high, low) => `(${high})*256+${low}`);
    }
    read = 0;
    return `local ${list((at) => `_${at}`).join()}`;
  });
}

/**
 * One byte of a number, from 0 for the last. A remainder cuts off the lower bytes, so that the division is exact; another cuts
 * off the higher ones, if there are any. Lua computes the power when it compiles the script.
 */
function byteOf(number: string, place: number, isFirst: boolean): string {
  const unit = `2^${8 * place}`;
  const byte = place > 0 ? `(${number}-${number}%${unit})/${unit}` : number;
  return isFirst ? byte : `${byte}%256`;
}
