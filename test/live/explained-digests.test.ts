import { expect, test } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { startFleet } from "./fleet.ts";

test("explain gives the digest of an address that was never denied, for an override", async () => {
  const { isolate } = await startFleet();
  const gateway = isolate();
  const policies = [quota("address", 5), { ...quota("user", 9), partition: ["header:x-user-id"] }];
  const document = { rules: [{ path: "/api/*", partition: ["ip"], policies }] };
  await gateway.api("PUT", "/rules", document, { "If-Match": '"0"' });
  const explain = async () => {
    const asked = { path: "/api/x", ip: "192.0.2.7", headers: { "x-user-id": "ada" } };
    const { body } = await gateway.api("POST", "/explain", asked);
    return body.rules[0].policies as { limit: number; partition: string; digest?: string }[];
  };
  const [address, user] = await explain();
  expect(address).toMatchObject({ partition: "ip:192.0.2.7", limit: 5 });
  expect(address!.digest).toMatch(/^ip:[\w-]{22}$/);
  expect(user).not.toHaveProperty("digest");

  const numbers = { digest: address!.digest, policies: { address: { limit: 50 } } };
  expect((await gateway.api("PUT", "/overrides", numbers)).status).toBe(200);
  expect((await explain()).map(({ limit }) => limit)).toEqual([50, 9]);
});
