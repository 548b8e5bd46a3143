import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { recognize } from "../../packages/dashboard/src/partition/candidates.ts";
import { partitionName } from "../../src/metrics/partition-name.ts";
import { hash } from "../../src/partition/key-text.ts";
import { useDashboard } from "./dashboard.ts";
import { ride, rideOften } from "./rides.ts";
import { answerWith, confirm, regionOf } from "./visit.ts";

const on = useDashboard();

/** Looks for the client of the page among candidates. */
async function compare(page: Page, candidates: string): Promise<void> {
  await page.getByText("Find out who it is").click();
  await page.getByLabel("Candidates").fill(candidates);
  await page.getByRole("button", { name: "Compare" }).click();
}

test("from the overview to the block, and back, without knowing who it is", async () => {
  await rideOften(on.stack, "an-abuser", 9);
  const name = `x-user-id:${await hash("an-abuser")}`;
  const page = await on.open("#/");
  const top = regionOf(page, "Denied most");
  await top.getByRole("link", { name }).click();
  const card = regionOf(page, "Client");
  await confirm(card, `Block for 1h: ${name}`, "Block for 1h");
  await card.getByRole("button", { name: `Unblock: ${name}` }).waitFor();
  expect(await ride(on.stack, "an-abuser")).toBe(403);
  const deeds = regionOf(page, "What was done about it");
  await deeds.getByText("put deny").waitFor();
  expect(await ride(on.stack, "somebody-else")).toBe(200);
  await page.getByRole("status").getByText("Blocked for 1h").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await card.getByRole("button", { name: `Block for 1h: ${name}` }).waitFor();
  expect(await ride(on.stack, "an-abuser")).toBe(429);

  // Taking the block back can be taken back as well, until the same moment.
  const untilOf = () => card.getByText(/^Blocked until/).innerText();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText(`Blocked again: ${name}`).waitFor();
  const until = await untilOf();
  expect(await ride(on.stack, "an-abuser")).toBe(403);
  await card.getByRole("button", { name: `Unblock: ${name}` }).click();
  await page.getByText(`Not blocked any more: ${name}`).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await card.getByRole("button", { name: `Unblock: ${name}` }).waitFor();
  expect(await untilOf()).toBe(until);
  await card.getByRole("button", { name: `Unblock: ${name}` }).click();
  await card.getByRole("button", { name: `Block for 1h: ${name}` }).waitFor();

  await confirm(card, "Reset");
  await page.getByText("What was counted of this client is forgotten.").waitFor();
  expect(await ride(on.stack, "an-abuser")).toBe(200);

  await card.getByRole("button", { name: `Override: ${name}` }).click();
  expect(await page.getByRole("dialog").getByLabel("Policy").innerText()).toContain("rides");
  await page.getByRole("dialog").getByLabel("Limit").fill("2");
  await page.getByRole("button", { name: "Put the override" }).click();
  await page.getByText(`The override of ${name} is in force.`).waitFor();
  expect([await ride(on.stack, "an-abuser"), await ride(on.stack, "an-abuser")]).toEqual([
    200, 429,
  ]);

  await page.getByRole("link", { name: "Audit" }).click();
  const rows = regionOf(page, "Audit").locator("tbody tr");
  await expect
    .poll(async () =>
      (await rows.locator("td:nth-child(3), td:nth-child(4)").allInnerTexts()).slice(0, 8),
    )
    .toEqual(["put override", name, "reset", name, "remove deny", name, "put deny", name]);
});

test("the client is found among candidates, and its request explained", async () => {
  const user = "found-among-many";
  const name = `x-user-id:${await hash(user)}`;
  const page = await on.open(`#/partition?policy=rides&partition=${name}`);
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.postData() ?? ""));
  await compare(page, "one\ntwo");
  await page.getByText("None of them is this client.").waitFor();
  const log = '203.0.113.7 - - "POST /rides/7" 429 user=';
  await page.getByLabel("Candidates").fill(`${log}other\n${log}${user}`);
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText(`x-user-id: ${user}`).waitFor();
  expect(sent.filter((body) => body.includes(user))).toEqual([]);
  await page.getByRole("link", { name: "Explain its request" }).click();
  await page.getByRole("heading", { name: "Passes: every policy has room" }).waitFor();
  await page.getByRole("button", { name: `Block for 1h: x-user-id:${user}` }).waitFor();
});

test("a key is told apart by how it ends, in the list and in the view of its client", async () => {
  const page = await on.open("#/audit");
  const partition = `x-api-key:${await hash("sk_live_4242")}`;
  const partitions = [{ policy: "rides", partition, hint: "4242", count: 9 }];
  await answerWith(page, "top?*", { kind: "denied", from: "", to: "", partitions });
  await page.getByRole("link", { name: "Overview" }).click();
  const top = regionOf(page, "Denied most");
  await top.getByText("ends in 4242").waitFor();
  await top.getByRole("link", { name: partition }).click();
  await page.getByText("and its key ends in 4242").waitFor();
});

test("a credential that was found is not put into a link", async () => {
  const page = await on.open(
    `#/partition?policy=rides&partition=authorization:${await hash("bearer abc.def")}`,
  );
  await compare(page, "abc.def");
  await page.getByText("authorization: bearer abc.def").waitFor();
  expect(await page.getByRole("link", { name: "Explain its request" }).count()).toBe(0);
});

test.each(["ip", "subnet", "asn", "country"])(
  "what a hashed %s used is not reset: the digest does not say whose count it is",
  async (fact) => {
    const page = await on.open(`#/partition?policy=rides&partition=${fact}:Zf3qk9Xr5cW1uYtB7oMh2A`);
    const about = page.getByRole("group", { name: "About this client" });
    await about.getByRole("button", { name: /^Block for 1h/ }).waitFor();
    expect(await about.getByRole("button", { name: "Reset" }).count()).toBe(0);
  },
);

test("its request is linked to once the rules are read, which say which request that is", async () => {
  const user = "found-early";
  const name = `x-user-id:${await hash(user)}`;
  const page = await on.open("#/");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/api/v1/rules", async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${on.url}#/partition?policy=rides&partition=${name}`);
  await compare(page, user);
  await page.getByText(`x-user-id: ${user}`).waitFor();
  const link = page.getByRole("link", { name: "Explain its request" });
  expect(await link.count()).toBe(0);
  release();
  await link.click();
  await page.getByRole("heading", { name: "Passes: every policy has room" }).waitFor();
});

test.each([
  ["x-api-key:", "sk_live_4242", "sk_live_4242"],
  ["authorization:", "bearer abc.def", "GET /a Authorization abc.def"],
  ["authorization:", "bearer abc.def", "Authorization: Bearer abc.def"],
  ["cookie:session:", "s3ss10n", "Cookie: session=s3ss10n; a=b"],
])("a %s client is recognised", async (source, value, pasted) => {
  expect(await recognize(source + (await hash(value)), `x\n${pasted}\ny`)).toHaveLength(1);
  const other = pasted.replace(value.split(" ").at(-1)!, "another");
  expect(await recognize(source + (await hash(value)), `x\n${other}\ny`)).toEqual([]);
});

test.each([
  ["ip:203.0.113.7", "203.0.113.7"],
  ["ip:203.0.113.7", "::ffff:203.0.113.7"],
  ["ip:2001:db8:1:2::/64", "2001:db8:1:2:3::4"],
  ["subnet:203.0.113.0/24", "203.0.113.99"],
  ["subnet:2001:db8:1::/48", "2001:db8:1:2:3::4"],
  ["country:CH", "CH"],
  ["asn:64496", "64496"],
])("the hashed %s is recognised by %s", async (identity, pasted) => {
  const name = await partitionName(identity, "hashed");
  expect(await recognize(name, `203.0.114.1 DE 1\n${pasted}`)).toEqual([
    { source: identity.split(":")[0], value: pasted },
  ]);
});

test("of a client by several sources each is looked for", async () => {
  const name = await partitionName(`ip:203.0.113.7,user-agent:${await hash("a/1")}`, "hashed");
  expect(await recognize(name, "a/1 203.0.113.7")).toEqual([
    { source: "user-agent", value: "a/1" },
    { source: "ip", value: "203.0.113.7" },
  ]);
});
