import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { unstable_readConfig } from "wrangler";

import { createGateway, type Gateway } from "../../src/gateway/gateway.ts";

/** A gateway by the variables of a page's wrangler.toml, which counts in memory, by `Date`. */
export function configuredGateway(toml: string, folder: string, variables: object = {}): Gateway {
  const config = join(folder, `${crypto.randomUUID()}.toml`);
  writeFileSync(config, toml.startsWith("name = ") ? toml : `name = "page"\n${toml}`);
  return createGateway({
    ...unstable_readConfig({ config }).vars,
    ORIGIN: "https://origin.example.com",
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    ...variables,
  });
}
