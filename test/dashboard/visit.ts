import type { Locator, Page } from "playwright-core";

import { statsFor, topFor } from "./counts.ts";

export function regionOf(page: Page, name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}

/** Presses a button, and the one of the dialog that asks whether it is meant. */
export async function confirm(within: Page | Locator, name: string, meant = name): Promise<void> {
  await within.getByRole("button", { name }).click();
  const page = "page" in within ? within.page() : within;
  await page.getByRole("dialog").getByRole("button", { name: meant }).click();
}

/** Has the admin API answer so at this path. */
export async function answerWith(page: Page, path: string, json: unknown, status = 200) {
  await page.route(`**/api/v1/${path}`, (route) => route.fulfill({ status, json }));
}

/** Counts that are made up, with an incident in them, in place of the gateway's. */
export async function fakeStats(page: Page): Promise<void> {
  await page.route("**/api/v1/stats?*", (route) =>
    route.fulfill({ json: statsFor(new URL(route.request().url())) }),
  );
}

/** @param partitions made-up clients at the top. Default: those of the incident */
export async function fakeTop(page: Page, partitions?: readonly string[]): Promise<void> {
  await page.route("**/api/v1/top?*", (route) =>
    route.fulfill({ json: topFor(new URL(route.request().url()), partitions) }),
  );
}

/** Signs in at this address, and waits for the view. */
export async function signIn(page: Page, address: string, token: string): Promise<void> {
  await page.goto(address);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("h1").waitFor();
}

/** Has the page read everything again. */
export async function readAgain(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Live", exact: true }).click();
  await page.getByRole("button", { name: "Paused", exact: true }).click();
}
