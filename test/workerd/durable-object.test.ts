import { env } from "cloudflare:workers";
import { describe } from "vitest";

import { durableObjectStore, type ObjectNamespace } from "../../src/durable-object.ts";
import { storeContract } from "../support/store/contract.ts";

const namespace = env["LIMITS"] as ObjectNamespace;

describe("durableObjectStore() over objects in workerd", () => {
  const store = durableObjectStore(namespace, { timeout: "5s" });
  storeContract(() => store);
});
