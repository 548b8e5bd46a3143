import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import manifest from "../../package.json" with { type: "json" };
import { type Repository, sourceAddress } from "../../scripts/support/source-address.ts";

/** Hosts of others that documents, programs or comments name on purpose. */
const HOSTS = new Set([
  // Specifications and schemas.
  "www.w3.org",
  "www.rfc-editor.org",
  "json-schema.org",
  "iana.org",
  "www.standardwebhooks.com",
  "no-color.org",
  "force-color.org",
  "openapi.vercel.sh",
  // Documents of others.
  "developers.cloudflare.com",
  "hono.dev",
  // They deploy a template.
  "deploy.workers.cloudflare.com",
  "vercel.com",
  // Requests go there.
  "api.openai.com",
  "api.anthropic.com",
  "www.npmjs.com",
]);

/** Repositories of others, as `host/owner/name`. */
const REPOSITORIES = new Set([
  "github.com/redis/ioredis",
  "github.com/redis/node-redis",
  "github.com/honojs/node-server",
  "github.com/modelcontextprotocol/modelcontextprotocol",
  "raw.githubusercontent.com/stamparm/ipsum",
]);

/** Names that nobody can own, and those of machines. */
const NOBODYS =
  /^(?:[^.]*|localhost|[\d.]+|(?:.+\.)?example(?:\.(?:com|net|org))?\.?|.+\.(?:example|test|invalid|internal|localhost))$/i;

/** Databases of a service, which tests invent, and one that only seems to be of it. */
const DATABASES = /(?:\.|^not)upstash\.io$|\.kv\.vercel-storage\.com$/i;

const own = sourceAddress(manifest as { readonly repository?: Repository });

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .trim()
  .split("\n")
  // Of packages of others, each names its registry.
  .filter((file) => !/package-lock\.json$|\.(?:webp|png)$/.test(file));

/** The addresses of a text, also within an address and without a scheme. */
function addressesOf(text: string): readonly string[] {
  const decoded = text.replaceAll("%3A%2F%2F", "://").replaceAll("%2F", "/");
  return (
    decoded.match(/(?:https?:\/\/|(?<![\w./-])(?=(?:www\.)?git(?:hub|lab)\.com\/))[\w.~/-]+/gi) ??
    []
  );
}

function isKnown(address: string): boolean {
  if (own !== undefined && `${address}/`.startsWith(`${own}/`)) return true;
  const place = address.replace(/^https?:\/\//i, "");
  const [host = ""] = place.split("/");
  if (NOBODYS.test(host) || DATABASES.test(host) || HOSTS.has(host)) return true;
  return REPOSITORIES.has(place.split("/").slice(0, 3).join("/"));
}

test("the tree has no address but its own, those of known others, and those that nobody can own", () => {
  expect(files.length).toBeGreaterThan(1_000);
  const unknown = files.flatMap((file) =>
    addressesOf(readFileSync(file, "utf8"))
      .filter((address) => !isKnown(address))
      .map((address) => `${file}: ${address}`),
  );
  expect(unknown).toEqual([]);
});

// In pieces, as this file is in the tree, too.
test.for([
  `https://${"a.somebody.dev"}/x`,
  `${"github.com"}/others/tidegate`,
  `https%3A%2F%2F${"github.com"}%2Fothers%2Fx`,
])("%s would be found", (text) => {
  expect(addressesOf(`see ${text} there`).map(isKnown)).toEqual([false]);
});
