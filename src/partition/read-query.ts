import { foldName, foldValue, oneValue, spells } from "./one-value.ts";

/**
 * Compiles the function that reads a query parameter from an address. Several different values count as none
 * (one-value.ts).
 *
 * @example
 * readQuery("key")("https://example.com/?key=a") // "a"
 */
export function readQuery(parameter: string): (url: string) => string | undefined {
  const wanted = foldName(parameter);

  return (url) => {
    const query = /^[^?#]*\?([^#]*)/.exec(url)?.[1];
    if (!query) return undefined;
    const texts = [query];
    // To some origins a semicolon is a separator, to others it is part of the value: both readings count.
    if (query.includes(";")) texts.push(query.replaceAll(";", "&"));
    const values = texts
      .flatMap((text) => Array.from(new URLSearchParams(text)))
      .filter(([name]) => spells(name, wanted))
      .map(([, value]) => foldValue(value));
    return oneValue(values);
  };
}
