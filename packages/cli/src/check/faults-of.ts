import { readConfig } from "../../../../src/gateway/config/config.ts";
import { compileDocument } from "../../../../src/gateway/live/live-document.ts";
import { DEFAULTS } from "../../../../src/limiter/settings.ts";
import { ConfigurationError, type Fault } from "../../../../src/options/errors.ts";
import { Faults } from "../../../../src/options/faults.ts";

/** The faults of a gateway's variables RULES, PLANS, LISTS, CORS and CLIENT_IP. */
export function faultsOfVariables(variables: Readonly<Record<string, unknown>>): readonly Fault[] {
  const { RULES, PLANS, LISTS, CORS, CLIENT_IP = "cloudflare" } = variables;
  const texts = { RULES, PLANS, LISTS, CORS, CLIENT_IP };
  try {
    readConfig({ ...texts, STORE: "memory", ORIGIN: "https://origin.invalid" }, {});
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
  // A document does not name the trusted source of addresses: its gateway does.
  const defaults = {
    prefix,
    onFailure,
    clientIp: "cloudflare",
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
