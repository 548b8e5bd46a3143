import { useRef, useState } from "hono/jsx/dom";

import { Field } from "../parts/field.tsx";
import { clipped } from "../parts/plain.ts";
import { linkTo } from "../parts/view-location.ts";
import { partsOf, recognize, type Recognized } from "./candidates.ts";
import { SECRET } from "./described.ts";

interface WhoProps {
  readonly name: string;
  /** A request that its policy counts, to link to; `undefined` until the rules are read. */
  readonly example: Readonly<Record<string, string>> | undefined;
}

/** Finds a client among those that the person knows. */
export function Who({ name, example }: WhoProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [found, setFound] = useState<readonly Recognized[] | undefined>(undefined);
  if (partsOf(name).length === 0) return <></>;
  const link = found && example && linkOf(found, example);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setFound(undefined);
    setFound(await recognize(name, field.current!.value));
  }

  return (
    <details class="who">
      <summary>Find out who it is</summary>
      <form onSubmit={(event: Event) => void submit(event)}>
        <Field
          label="Candidates"
          hint="Keys, user ids, addresses, or lines of a log. They are compared here and sent nowhere."
        >
          <textarea ref={field} name="candidates" rows={5} spellcheck={false} autocomplete="off" />
        </Field>
        <div class="actions">
          <button type="submit">Compare</button>
        </div>
      </form>
      <div role="status">
        {found?.length === 0 && <p>None of them is this client.</p>}
        {found?.map(({ source, value }) => (
          <p>
            It is <code class="untrusted">{clipped(`${source}: ${value}`)}</code>
          </p>
        ))}
        {link !== undefined && <a href={link}>Explain its request</a>}
      </div>
    </details>
  );
}

/**
 * A request of the client; `undefined` where an address may not show the client, or no field of the form has it: another
 * client's request would be explained.
 */
function linkOf(
  found: readonly Recognized[],
  example: NonNullable<WhoProps["example"]>,
): string | undefined {
  const {
    address = [],
    field = [],
    other = [],
  } = Object.groupBy(found, ({ source }) => kindOf(source));
  if (found.length === 0 || other.length > 0) return undefined;
  const headers = field.map(({ source, value }) => `${source}: ${value}`).join("\n");
  return linkTo("partition", { ...example, ip: address[0]?.value, headers });
}

function kindOf(source: string): "address" | "field" | "other" {
  if (source === "ip" || source === "subnet") return "address";
  return source.includes(":") || /^(?:asn|country)$/.test(source) || SECRET.test(source)
    ? "other"
    : "field";
}
