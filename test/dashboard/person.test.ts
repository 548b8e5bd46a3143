import { expect, test } from "vitest";

import { READ_TOKEN, RULES, useDashboard } from "../support/dashboard/dashboard.ts";
import { editorOf, putText } from "../support/dashboard/editor.ts";

const on = useDashboard();

/** A ride of this user, and its status. */
async function ride(user: string): Promise<number> {
  const response = await fetch(`${on.stack.workers[0]}/rides/7`, {
    method: "POST",
    headers: { "x-user-id": user },
  });
  await response.arrayBuffer();
  return response.status;
}

async function limitNow(): Promise<readonly [version: number, limit: number]> {
  const live = (await (await on.ask("GET", "/rules")).json()) as {
    readonly version: number;
    readonly document: { readonly rules: typeof RULES };
  };
  return [live.version, live.document.rules[0]!.policies[0]!.limit];
}

test("the way of the person on call: a denial, why, a draft, publish, roll back", async () => {
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push(await ride("42"));
  expect(statuses).toEqual([200, 200, 200, 429]);
  const page = await on.open("#/", { top: ["x-user-id:42"] });

  await page
    .getByRole("region", { name: "Denied most" })
    .getByRole("link", { name: "x-user-id:42" })
    .first()
    .click();
  await page.getByRole("heading", { name: "Denied", exact: true }).waitFor();
  const row = page.getByRole("row").filter({ hasText: "x-user-id:42" });
  await expect
    .poll(() => row.getByRole("cell").allInnerTexts())
    .toEqual([
      "rides",
      "no",
      "0",
      "3",
      "",
      expect.stringMatching(/min|s$/),
      "enforce",
      "x-user-id:42",
      "POST /rides/*",
    ]);

  await row.getByRole("link").click();
  await page.getByRole("link", { name: "Edit", exact: true }).last().click();
  const text = JSON.stringify({ rules: RULES }, undefined, 2);
  await putText(page, text.replace('"limit": 3', '"limit": 0'));
  await page.getByRole("button", { name: "Line 14" }).click();
  expect(await editorOf(page).locator(".cm-activeLine").innerText()).toBe('          "limit": 0,');
  await expect.poll(() => page.getByRole("button", { name: "Publish…" }).isDisabled()).toBe(true);
  await putText(page, text.replace('"limit": 3,', '"limit": 3'));
  await page.getByText("Comma expected.").waitFor();
  await putText(page, text.replace('"limit": 3', '"limit": 5'));
  await page.getByText("Sound: 1 change.").waitFor();
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.getByText("The draft is kept.").waitFor();
  expect(await limitNow()).toEqual([0, 3]);

  await page.getByRole("button", { name: "Publish…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  const changed = dialog.locator(".cm-merge-b .cm-changedLine");
  await expect.poll(() => changed.allInnerTexts()).toEqual(['          "limit": 5,']);
  await dialog.getByLabel("Note for the history").fill("more rides <b>for all</b>");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await page.getByText("Version 1 is in force here").waitFor();
  expect(await limitNow()).toEqual([1, 5]);
  expect([await ride("42"), await ride("42"), await ride("42")]).toEqual([200, 200, 429]);
  await page.getByRole("cell", { name: "more rides <b>for all</b>" }).waitFor();

  await page.getByRole("button", { name: "Roll back to version 0" }).click();
  await dialog.getByText("rules[0].policies[0].limit").waitFor();
  await dialog.getByRole("button", { name: "Roll back" }).click();
  await page.getByText("Version 0 is in force again, as version 2.").waitFor();
  expect(await limitNow()).toEqual([2, 3]);

  await page.getByRole("link", { name: "Audit" }).click();
  const deeds = page.locator("tbody td:nth-child(3)");
  await expect
    .poll(async () => (await deeds.allInnerTexts()).slice(0, 3))
    .toEqual(["rollback to 0", "publish", "draft"]);
});

test("somebody else's publication is told, not overwritten", async () => {
  const page = await on.open("#/edit");
  const text = JSON.stringify({ rules: RULES }, undefined, 2);
  await putText(page, text.replace('"limit": 30', '"limit": 31'));
  await page.getByText("Sound: 1 change.").waitFor();
  const [version] = await limitNow();
  const other = JSON.parse(text) as { rules: typeof RULES };
  other.rules[1]!.policies[0]!.limit = 60;
  const put = await on.ask("PUT", "/rules", other, { "if-match": `"${version}"` });
  expect(put.status).toBe(200);
  await page.getByRole("button", { name: "Publish…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.getByText("Somebody else published").waitFor();
  expect((await limitNow())[0]).toBe(version + 1);
});

test("a client is blocked, which its list shows, and let in again", async () => {
  const page = await on.open("#/partition?method=POST&path=/rides/7&headers=x-user-id:spammer");
  await page.getByRole("button", { name: "Block for 24h: x-user-id:spammer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Block for 24h" }).click();
  await page.getByRole("heading", { name: "Refused: a list blocks the client" }).waitFor();
  expect(await ride("spammer")).toBe(403);
  await page.getByRole("link", { name: "Lists" }).click();
  await page.getByRole("button", { name: "Remove x-user-id:spammer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("The entry is removed.").waitFor();
  expect(await ride("spammer")).toBe(200);
});

test("an override gives one client another limit, and a reset gives back what was used", async () => {
  for (let i = 0; i < 3; i++) await ride("vip");
  expect(await ride("vip")).toBe(429);
  const page = await on.open("#/partition?method=POST&path=/rides/7&headers=x-user-id:vip");
  await page.getByRole("button", { name: "Override: x-user-id:vip" }).click();
  await page.getByRole("dialog").getByLabel("Limit").fill("4");
  await page.getByRole("button", { name: "Put the override" }).click();
  await page.getByText("override x-user-id:vip").waitFor();
  expect([await ride("vip"), await ride("vip")]).toEqual([200, 429]);
  await page.getByRole("button", { name: "Reset" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
  await page.getByText("What was counted of this client is forgotten.").waitFor();
  await page.getByRole("heading", { name: "Passes: every policy has room" }).waitFor();
  expect(await ride("vip")).toBe(200);
});

test("a token that only reads sees everything and changes nothing, and is told why", async () => {
  const page = await on.open("#/partition?method=POST&path=/rides/7&headers=x-user-id:1", {
    token: READ_TOKEN,
  });
  await page.getByText("Your token only reads.").first().waitFor();
  await page.getByRole("heading", { name: "Passes: every policy has room" }).waitFor();
  for (const name of ["Reset", "Block for 1h: x-user-id:1", "Override: x-user-id:1"]) {
    await expect.poll(() => page.getByRole("button", { name }).isDisabled()).toBe(true);
  }
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByText(/^Sound/).waitFor();
  for (const name of ["Save draft", "Publish…"]) {
    await expect.poll(() => page.getByRole("button", { name }).isDisabled()).toBe(true);
  }
  await page.getByRole("link", { name: "Lists" }).click();
  await page.locator("summary", { hasText: "Add to blocked" }).click();
  const add = page.getByRole("button", { name: "Add" }).first();
  await expect.poll(() => add.isDisabled()).toBe(true);
});

test("a token that is not accepted leads back to where it is asked, and is not kept", async () => {
  const page = await on.open();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token").fill("a-wrong-token-of-some-length");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The token is not accepted").waitFor();
  expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("wrong-token");
  expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain("wrong-token");
});

test("with the keyboard alone: sign in, explain, ask, and leave a dialog", async () => {
  const page = await on.open("#/partition");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token").focus();
  await page.keyboard.type(on.stack.adminToken!);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Partition" }).waitFor();
  await page.keyboard.press("Tab");
  await expect
    .poll(() => page.evaluate("document.activeElement.textContent"))
    .toBe("Skip to the content");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main");
  for (const text of ["", "/search", "203.0.113.7", ""]) {
    await page.keyboard.press("Tab");
    if (text !== "") {
      await page.keyboard.press("Control+a");
      await page.keyboard.type(text);
    }
  }
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Passes: every policy has room" }).waitFor();
  await page.getByRole("button", { name: "Reset" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Reset");
});
