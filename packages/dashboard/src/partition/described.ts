/** A request as the form has it. */
export interface Described {
  readonly method: string;
  readonly path: string;
  readonly ip: string;
  /** One header field in each line. */
  readonly headers: string;
}

/** These values are credentials: they do not belong in an address. */
export const SECRET = /^(?:authorization|proxy-authorization|cookie)$/i;

/** A hash in place of the client's own value. */
const HASHED = /^(?:[\w-]{22}|[\w-]{43})$/;

/** The part of the request that a partition shows: its address, or a header field. */
export function namedBy(partition: string): Partial<Described> {
  const [name = "", value = ""] = partition.split(/:(.*)/s);
  if (value === "" || HASHED.test(value) || partition.includes(",")) return {};
  return name === "ip" ? { ip: value } : { headers: `${name}: ${value}` };
}

/** Whether a link is about a client without identifying it, so that the request in it is not that client's. */
export function isUnreadable(query: URLSearchParams): boolean {
  const partition = query.get("partition");
  return partition !== null && Object.keys(namedBy(partition)).length === 0;
}

export function describedBy(query: URLSearchParams): Described {
  const named = namedBy(query.get("partition") ?? "");
  return {
    method: query.get("method") ?? "GET",
    path: query.get("path") ?? "/",
    ip: query.get("ip") ?? named.ip ?? "",
    headers: query.get("headers") ?? named.headers ?? "",
  };
}

/** The part of a request that an address may show. */
export function linkable({ headers, ...rest }: Described): Record<string, string> {
  const kept = headers.split("\n").filter((line) => !SECRET.test(line.split(":")[0]!.trim()));
  return { ...rest, headers: kept.join("\n") };
}

/** A request as the API takes it. */
export function bodyOf({ method, path, ip, headers }: Described): object {
  const fields = headers
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", value = ""] = line.split(/:(.*)/s);
      return [name.trim(), value.trim()];
    });
  return {
    method,
    path,
    ...(fields.length > 0 && { headers: Object.fromEntries(fields) as object }),
    ...(ip !== "" && { ip }),
  };
}
