import { admin, metrics } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway.ts";
import { startOrigin } from "../support/gateway/gateway.ts";
import { listenTo } from "../support/gateway/serve.ts";
import { liveVariables } from "../support/live/live-gateway.ts";

/** The address of a gateway with the admin API and metrics, until the test has ended. */
export async function serveAdministered(rules: unknown, more: object = {}): Promise<string> {
  const { url } = await startOrigin();
  const variables = { ...liveVariables(url, crypto.randomUUID()), RULES: rules, ...more };
  const gateway = createGateway(variables, { admin, metrics });
  return (await startOrigin(listenTo((request) => gateway.fetch(request)))).url;
}
