import { jwtFeature } from "../../../../src/features/jwt/jwt-feature.ts";
import { type GatewayConfig, readConfig } from "../../../../src/gateway/config/config.ts";
import { BINDING } from "../../../../src/gateway/config/open-regions.ts";
import { readRegion } from "../../../../src/gateway/config/read-region.ts";
import type { StoreName } from "../../../../src/gateway/config/variables.ts";
import { compileDocument } from "../../../../src/gateway/live/live-document.ts";
import { NO_REGION_BINDING } from "../../../../src/gateway/rules/variable-messages.ts";
import { DEFAULTS } from "../../../../src/limiter/settings.ts";
import { ConfigurationError, type Fault } from "../../../../src/options/errors.ts";
import { Faults } from "../../../../src/options/faults.ts";

/** Stand for a secret that only the deployment has, and for keys that only a gateway knows. */
const JWT_SECRET = "0".repeat(32);
const ISSUER = { jwks: "https://issuer.invalid/jwks.json" };

/**
 * The gateway of the variables RULES, PLANS, LISTS, CORS, JWT and CLIENT_IP, wherever it is deployed.
 *
 * @throws ConfigurationError with every fault of theirs
 */
export function gatewayOf(variables: Readonly<Record<string, unknown>>): GatewayConfig {
  const { RULES, PLANS, LISTS, CORS, JWT, CLIENT_IP = "cloudflare" } = variables;
  const texts = { RULES, PLANS, LISTS, CORS, JWT, CLIENT_IP };
  const secret = JSON.stringify(JWT)?.includes("jwks") ? {} : { JWT_SECRET };
  return readConfig({ ...texts, ...secret, STORE: "memory", ORIGIN: "https://origin.invalid" }, {});
}

/**
 * The faults of these variables of a worker.
 *
 * @param bindings the names under which it has Durable Objects
 */
export function faultsOfVariables(
  variables: Readonly<Record<string, unknown>>,
  bindings: readonly unknown[],
): readonly Fault[] {
  return [...faultsOfGateway(variables), ...faultsOfRegions(variables, bindings)];
}

/** The stores of regions are checked apart: the gateway of a check opens none. */
function faultsOfRegions(
  variables: Readonly<Record<string, unknown>>,
  bindings: readonly unknown[],
): readonly Fault[] {
  const faults = new Faults();
  const { STORE: store = "redis" } = variables;
  const region = readRegion(
    variables,
    { store: store as StoreName, shared: undefined },
    faults,
    true,
  );
  const hasObjects = region?.nearby.stores.some(({ locationHint }) => locationHint);
  if (hasObjects && !bindings.includes(BINDING)) faults.add(BINDING, undefined, NO_REGION_BINDING);
  return faults.list;
}

function faultsOfGateway(variables: Readonly<Record<string, unknown>>): readonly Fault[] {
  try {
    gatewayOf(variables);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}

/** The faults of a document of live rules. A fault of the whole document has no path. */
export function faultsOfDocument(document: unknown): readonly Fault[] {
  const faults = new Faults();
  const { prefix, onFailure } = DEFAULTS;
  // A document names neither the trusted source of addresses nor the issuer of tokens: its gateway does.
  const defaults = {
    prefix,
    onFailure,
    clientIp: "cloudflare",
    tokenReader: jwtFeature.compile(ISSUER, "JWT", faults),
    sharedDenials: undefined,
  };
  compileDocument(document, defaults, faults);
  return faults.list.map(({ path, code, value, remedy }) => ({
    path: path === "document" ? "" : path,
    code,
    value,
    remedy,
  }));
}
