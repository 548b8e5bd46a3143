import { RULES } from "./routes.ts";

type Stage = (path: string) => string;

const stages = {
  cut: (path) => path.replace(/;.*/s, ""),
  drop: (path) => path.replaceAll(/;[^/]*/g, ""),
  decode: (path) => decodeURIComponent(path),
  dots: (path) => {
    const resolved: string[] = [];
    for (const segment of path.split("/")) {
      if (segment === "..") resolved.pop();
      else if (segment !== ".") resolved.push(segment);
    }
    return resolved.join("/");
  },
  backslashes: (path) => path.replaceAll("\\", "/"),
  slashes: (path) => path.replaceAll(/\/+/g, "/"),
  lower: (path) => path.toLowerCase(),
  upper: (path) => path.toUpperCase().toLowerCase(),
  trim: (path) => path.replace(/(?<=.)\/$/, ""),
  url: (path) => new URL(path, "http://origin.example").pathname,
  nul: (path) => path.replace(/\0.*/s, ""),
} satisfies Record<string, Stage>;

const orders = [
  "drop decode decode dots slashes",
  "decode drop dots decode slashes trim",
  "decode decode drop dots slashes lower trim",
  "decode dots drop decode dots slashes",
  "dots decode drop dots decode dots",
  "cut decode decode dots slashes trim",
  "decode cut dots slashes lower",
  "decode drop decode cut slashes trim",
  "drop decode drop decode drop slashes dots",
  "decode backslashes dots slashes upper trim",
  "decode decode backslashes drop dots slashes",
  "decode url drop slashes trim",
  "decode decode url cut slashes",
  "decode nul slashes trim",
  "url decode decode nul lower",
];

/** Each segment by itself: a slash that appears within one stays a part of its name. */
const segmentOrders = ["decode", "decode drop", "decode decode drop", "drop decode"];

function through(path: string, order: string): string {
  return order.split(" ").reduce((text, name) => stages[name as keyof typeof stages](text), path);
}

/** `undefined` where an origin of this kind answers 400. */
function read(path: string, reader: Reader): string | undefined {
  try {
    return reader(path);
  } catch {
    return undefined;
  }
}

type Reader = (path: string) => string;

const readers: readonly (readonly [name: string, reader: Reader])[] = [
  ...orders.map((order): [string, Reader] => [order, (path) => through(path, order)]),
  ...segmentOrders.map((order): [string, Reader] => [
    `each segment: ${order}`,
    (path) =>
      path
        .split("/")
        .map((segment) => through(segment, order).replaceAll("/", "|"))
        .filter((segment, i) => i === 0 || segment !== "")
        .join("/"),
  ]),
];

const patterns = [/^\/api\/login$/, /^\/api\/rides\/[^/]+$/, /^\/projects(?:\/.*)?$/s];

/** Which handlers origins reach that read paths in further ways, each by a name for its way. */
export function reachedByPipelines(method: string, target: string): readonly [string, string][] {
  const [path = ""] = target.split(/[?#]/, 1);
  return readers.flatMap(([name, reader]) => {
    const text = read(path, reader);
    if (text === undefined) return [];
    return RULES.filter(
      (rule, i) => patterns[i]!.test(text) && (rule.method === "*" || rule.method === method),
    ).map((rule) => [name, rule.name] as [string, string]);
  });
}
