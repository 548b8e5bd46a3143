import type { AnswerFields } from "../../../decide/present.ts";

/** A field as it stands in a message. */
export type Field = readonly [name: string, value: string];

/** The fields of a message of Node as they came: in their order, with their capitals, one for each line. */
export function fieldsOf(raw: readonly string[]): readonly Field[] {
  const fields: Field[] = [];
  for (let i = 0; i < raw.length; i += 2) fields.push([raw[i]!, raw[i + 1]!]);
  return fields;
}

/**
 * The fields of a request as they came, but for those that code before the gateway has changed.
 *
 * @param raw as they came
 * @param headers as the rules have seen them
 */
export function currentFields(raw: readonly string[], headers: Headers): readonly Field[] {
  const values = new Map(headers);
  const kept = fieldsOf(raw).filter(([name]) => !name.startsWith(":"));
  const came = new Map<string, string>();
  for (const [name, value] of kept) {
    const key = name.toLowerCase();
    const earlier = came.get(key);
    const separator = key === "cookie" ? "; " : ", ";
    came.set(key, earlier === undefined ? value : earlier + separator + value);
  }
  const isAsCame = (name: string) => came.get(name) === values.get(name);
  return [
    ...kept.filter(([name]) => isAsCame(name.toLowerCase())),
    ...[...values].filter(([name]) => !isAsCame(name)),
  ];
}

/** The fields of an answer, to which others are added. */
export class RawFields implements AnswerFields {
  readonly list: Field[];

  constructor(list: readonly Field[]) {
    this.list = [...list];
  }

  has(name: string): boolean {
    const key = name.toLowerCase();
    return this.list.some(([own]) => own.toLowerCase() === key);
  }

  append(name: string, value: string): void {
    this.list.push([name, value]);
  }

  set(name: string, value: string): void {
    this.delete(name);
    this.list.push([name, value]);
  }

  delete(name: string): void {
    const key = name.toLowerCase();
    const others = this.list.filter(([own]) => own.toLowerCase() !== key);
    this.list.splice(0, Infinity, ...others);
  }
}
