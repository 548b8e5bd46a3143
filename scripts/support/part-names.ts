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
