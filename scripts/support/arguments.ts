import { InvalidArgumentError } from "commander";

/** Reads a list such as `redis,trips`. */
export function namesAmong(known: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = text.split(",").map((name) => name.trim());
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length === 0) return names;
    throw new InvalidArgumentError(`'${unknown.join("', '")}' is none of ${known.join(", ")}.`);
  };
}

export function wholeNumber(text: string): number {
  const number = Number(text);
  if (text !== "" && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("It is a whole number.");
}

/** @param what for the sentence of a refusal, such as "a number of minutes" */
export function numberAbove0(what: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (number > 0) return number;
    throw new InvalidArgumentError(`It is ${what} above 0.`);
  };
}
