import type { Route } from "playwright-core";
import { expect, test } from "vitest";

import { READ_TOKEN, useDashboard } from "./dashboard.ts";

const on = useDashboard();

test("a token that only reads sees everything and changes nothing, and is told why", async () => {
  const page = await on.open("#/partition?method=POST&path=/rides/7&headers=x-user-id:1", {
    token: READ_TOKEN,
  });
  await page.getByText("Your token only reads.").first().waitFor();
  await page.getByRole("heading", { name: "Passes: every policy has room" }).waitFor();
  for (const name of ["Reset", "Block for 1h: x-user-id:1", "Override: x-user-id:1"]) {
    expect(await page.getByRole("button", { name }).isDisabled()).toBe(true);
  }
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByText(/^Sound/).waitFor();
  for (const name of ["Save draft", "Publish…"]) {
    expect(await page.getByRole("button", { name }).isDisabled()).toBe(true);
  }
  await page.getByRole("link", { name: "Lists" }).click();
  await page.locator("summary", { hasText: "Add to blocked" }).click();
  expect(await page.getByRole("button", { name: "Add" }).first().isDisabled()).toBe(true);
});

test.each(["admin", "read"])("with the %s token nothing fails on the way in", async (role) => {
  const page = await on.open("#/audit");
  await page.getByRole("button", { name: "Sign out" }).click();
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  await page.getByLabel("Token").fill(role === "admin" ? on.stack.adminToken! : READ_TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("region", { name: "Audit" }).waitFor();
  expect(await page.getByText("Your token only reads.").count()).toBe(role === "read" ? 1 : 0);
  expect(said).toEqual([]);
});

test.each([
  ["no answer", (route: Route) => route.abort(), "No answer"],
  ["a page", (route: Route) => route.fulfill({ body: "<h1>Sign in</h1>" }), "not with JSON"],
  [
    "errors of another shape",
    (route: Route) => route.fulfill({ status: 403, json: { errors: [{ code: 1_000 }] } }),
    "The gateway answered with the status 403.",
  ],
])("with %s it says so, and tries again when asked to", async (_what, answer, text) => {
  const page = await on.open("#/audit");
  await page.route("**/api/v1/health", answer);
  await page.reload();
  await page.getByRole("alert").getByText(text).waitFor();
  await page.unroute("**/api/v1/health");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("region", { name: "Audit" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("a token that is not accepted leads back to where it is asked, and is not kept", async () => {
  const page = await on.open();
  const edits = () => page.evaluate("sessionStorage.getItem('tidegate-edits')");
  const edit = () => page.evaluate("sessionStorage.setItem('tidegate-edits', '{\"based\":0}')");
  await edit();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token").waitFor();
  // The next person at this tab gets nothing of them; the same one, whose token was replaced, does.
  expect(await edits()).toBe(null);
  await edit();
  await page.getByLabel("Token").fill("a-wrong-token-of-some-length");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The token is not accepted").waitFor();
  expect(await edits()).toBe('{"based":0}');
  expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("wrong-token");
  expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain("wrong-token");
});

test("with the keyboard alone: sign in, explain, ask, and leave a dialog", async () => {
  const page = await on.open("#/partition");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token").focus();
  await page.keyboard.type(on.stack.adminToken!);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Client", exact: true, level: 1 }).waitFor();
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("main");
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
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Reset");
});
