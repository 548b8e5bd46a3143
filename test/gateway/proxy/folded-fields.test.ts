import { describe, expect, test } from "vitest";

import { gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";
import { useDeployed } from "../deployed.ts";
import { CGI_ORIGINS, type Variables } from "../origins/cgi.ts";

const RULES = [
  {
    path: "/*",
    partition: ["header:x-api-key", "ip"],
    policies: [quota("key", 1), { ...quota("all", 1000), partition: "*" }],
    plan: "header:x-plan",
  },
  {
    path: "/tenants/*",
    policies: [{ ...quota("tenant", 1000), partition: [["header:x_tenant_id", "ip"]] }],
  },
];
const VARIABLES = {
  PLANS: { gold: { key: { limit: 1000 } } },
  LISTS: { deny: [{ identity: "x-user-id:42" }] },
};

/** Names that some origin reads as one that the rules, the lists or the gateway itself read or write. */
const IMITATIONS = [
  ["x_api_key", "x-api_key", "X_Api-Key", "X.Api.Key", "x~api'key"],
  ["x_user_id", "x|user-id"],
  ["x_plan", "X*Plan"],
  // The rules name it with underscores, so that the other one is the imitation.
  ["x-tenant-id", "x_tenant-id"],
  ["tidegate_over", "Tidegate.Over"],
  ["x_forwarded_for", "x-forwarded_host", "x_forwarded-proto", "x_real_ip", "true_client_ip"],
  ["cf_connecting_ip", "x_vercel_ip_country"],
  ["x_http_method_override", "x.http.method", "x_method-override"],
  ["x_original_url", "x.rewrite.url"],
  ["keep_alive", "proxy_authorization", "transfer_encoding", "content_length"],
  ["access_control_request_method"],
].flat();

/** Names of their own. */
const OTHERS = ["api_key", "x_api_key_2", "x_session_id", "x.y", "my_plan"];

const sent = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "sent"]));

describe("a field whose name some origins read as another one", () => {
  test("does not reach the origin of a gateway in Node, while others with an underscore do", async () => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, RULES, VARIABLES);
    const headers = { ...sent(IMITATIONS), ...sent(OTHERS), x_tenant_id: "7", "x-plan": "gold" };
    expect((await ask("/tenants/7", { headers })).status).toBe(200);
    const arrived = Object.keys(origin.seen[0]!.fields);
    const own = ["x_tenant_id", "x-plan"];
    const unchanged = [...IMITATIONS, ...OTHERS, ...own].map((name) => name.toLowerCase());
    expect(unchanged.filter((name) => arrived.includes(name)).sort()).toEqual(
      [...OTHERS, ...own].sort(),
    );
  });

  test("reaches it on a path that no rule covers as little", async () => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, [{ ...RULES[0], path: "/api/*" }], VARIABLES);
    await ask("/other", { headers: sent(["x_api_key", "tidegate_over", "api_key"]) });
    const arrived = Object.keys(origin.seen[0]!.fields);
    expect(arrived.filter((name) => name.includes("_"))).toEqual(["api_key"]);
  });

  describe.for(CGI_ORIGINS)("($name)", ({ isHere, start }) => {
    test.runIf(isHere)("gets no key past its quota, its list or its plan", async () => {
      const url = await start();
      const ask = gatewayTo(url, RULES, VARIABLES);
      /** How the origin sees a request; `undefined` if the gateway does not pass it on. */
      async function seen(headers: Record<string, string>): Promise<Variables | undefined> {
        const client = { "cf-connecting-ip": `2001:db8:${++clients}::1` };
        const response = await ask("/x", { headers: { ...headers, ...client } });
        return response.status === 200 ? ((await response.json()) as Variables) : undefined;
      }
      let clients = 0;
      expect(await seen({ "X-Api-Key": "k" })).toMatchObject({ HTTP_X_API_KEY: "k" });
      expect(await seen({ "X-Api-Key": "k" })).toBeUndefined();
      for (const name of ["X_Api_Key", "X-Api_Key", "x_api-key", "X.Api.Key"]) {
        const alone = await seen({ [name]: "k" });
        expect([name, alone]).toEqual([name, expect.not.objectContaining({ HTTP_X_API_KEY: "k" })]);
        const both = await seen({ [name]: "k", "X-Api-Key": name });
        expect([name, both?.["HTTP_X_API_KEY"]]).toEqual([name, name]);
      }
      expect(await seen({ "X-User-Id": "42" })).toBeUndefined();
      expect(await seen({ X_User_Id: "42" })).not.toHaveProperty("HTTP_X_USER_ID");
      expect(await seen({ X_Plan: "gold", Tidegate_Over: '"key"' })).not.toMatchObject({
        HTTP_X_PLAN: "gold",
      });
      const over = await seen({ Tidegate_Over: '"key"', X_Forwarded_For: "192.0.2.9" });
      expect(over).not.toHaveProperty("HTTP_TIDEGATE_OVER");
      expect(over!["HTTP_X_FORWARDED_FOR"] ?? "").not.toContain("192.0.2.9");
    });
  });
});

describe("the deployed worker", () => {
  const deployed = useDeployed({ RULES, ...VARIABLES });
  let clients = 0;

  test("drops it, too", async () => {
    let arrived: string[] = [];
    deployed.answer((request, response) => {
      arrived = Object.keys(request.headers);
      response.end();
    });
    const key = `client ${++clients}`;
    const headers = { ...sent(IMITATIONS), ...sent(OTHERS), x_tenant_id: "7", "x-api-key": key };
    expect((await deployed.ask("/tenants/7", { headers })).status).toBe(200);
    const kept = [...IMITATIONS, ...OTHERS].filter((name) => arrived.includes(name.toLowerCase()));
    expect(kept.sort()).toEqual([...OTHERS].sort());
  });
});
