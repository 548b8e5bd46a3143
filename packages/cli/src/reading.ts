import type * as z from "zod/mini";

/** The places at which a reader asks for a field that is not sent, or is sent with another type. */
type Misread<Read, Sent, Path extends string> = unknown extends Read | Sent
  ? never
  : NonNullable<Read> extends readonly (infer ReadItem)[]
    ? NonNullable<Sent> extends readonly (infer SentItem)[]
      ? Misread<ReadItem, SentItem, `${Path}[]`>
      : Path
    : NonNullable<Read> extends object
      ? string extends keyof NonNullable<Read>
        ? never
        : {
            [Name in keyof NonNullable<Read> & string]: Name extends keyof NonNullable<Sent>
              ? Misread<NonNullable<Read>[Name], NonNullable<Sent>[Name], `${Path}.${Name}`>
              : `${Path}.${Name}`;
          }[keyof NonNullable<Read> & string]
      : [Sent] extends [Read]
        ? never
        : Path;

/**
 * Checks that a schema reads a part of the answer that the gateway sends: `reading<Health>()(z.object({ ... }))` does not
 * compile for a field that is not sent, or has another type.
 */
export function reading<Sent>() {
  return <Schema extends z.ZodMiniType>(
    schema: Schema & ([Misread<z.output<Schema>, Sent, "">] extends [never] ? unknown : never),
  ): Schema => schema;
}
