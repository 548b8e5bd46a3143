/** All values of an option that may be repeated, with this one. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** A header's name and value, by which a rule counts. */
export function isIdentity(text: string): boolean {
  return /^[^:\s]+:./.test(text);
}

/** The value of a policy's option: digits are a number, and the rest, such as `10s`, is a text. */
export function settingOf(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
