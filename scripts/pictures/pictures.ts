import { goBehind, putText } from "../../test/dashboard/editor.ts";
import { rideOften } from "../../test/dashboard/rides.ts";
import { sampledUsers, unsampledUsers } from "../../test/dashboard/sampled-users.ts";
import { capture } from "./capture.ts";
import type { PictureSet } from "./set.ts";

/** Prepares the scene, and takes the picture. */
type Take = (set: PictureSet) => Promise<Buffer>;

/** By the names of their files in docs/pictures. */
export const PICTURES: Readonly<Record<string, Take>> = {
  "dashboard-overview": overview,
  "dashboard-edit": edit,
  "dashboard-partition": partition,
  "dashboard-what-if": whatIf,
};

async function overview({ open }: PictureSet): Promise<Buffer> {
  const context = { viewport: { width: 1_280, height: 940 } };
  const page = await open("#/", { incident: true, context });
  await page.getByRole("region", { name: "Denials by rule, by the minute" }).waitFor();
  await page.locator("canvas").first().waitFor();
  return capture(page);
}

/** A draft with another limit, while a mode is chosen for the policy. */
async function edit({ open, document }: PictureSet): Promise<Buffer> {
  const context = { colorScheme: "dark", viewport: { width: 1_280, height: 1_120 } } as const;
  const page = await open("#/edit", { context });
  const text = JSON.stringify(document, undefined, 2)
    .replace('"limit": 20', '"limit": 30')
    .replace('"name": "rides",', '"name": "rides",\n          "mode": "shadow",');
  await putText(page, text);
  await page.getByText("Sound: 2 changes.").waitFor();
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.getByText(/^draft of/).waitFor();
  await page.getByText("The draft is kept.").waitFor({ state: "detached" });
  await goBehind(page, text, '"mode": ');
  await page.keyboard.press("Control+Space");
  await page.getByRole("option", { name: '"shadow"' }).waitFor();
  return capture(page);
}

/** A login that is denied, on a phone. */
async function partition({ open, stack }: PictureSet): Promise<Buffer> {
  const context = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 };
  const page = await open(`#/partition?method=POST&path=/api/login&ip=${CLIENT}`, { context });
  for (let i = 0; i < LOGINS; i++) {
    const headers = { "cf-connecting-ip": CLIENT };
    const response = await fetch(`${stack.workers[0]}/api/login`, { method: "POST", headers });
    await response.arrayBuffer();
  }
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("Denied", { exact: true }).waitFor();
  return capture(page);
}

const CLIENT = "203.0.113.7";
/** More than a burst may have. */
const LOGINS = 7;

/** The requests that a lower limit would have denied, and their users. */
async function whatIf({ open, stack, document }: PictureSet): Promise<Buffer> {
  for (const [i, { user }] of (await sampledUsers(stack, SAMPLED)).entries()) {
    // The users with the most denials have names in the answer.
    await rideOften(stack, user, ridesOf(i) + (i < NAMED ? MANY : 0));
  }
  const others = await unsampledUsers(stack, SAMPLED * 63);
  for (let at = 0; at < others.length; at += AT_ONCE) {
    const some = others.slice(at, at + AT_ONCE);
    await Promise.all(some.map(({ user }, i) => rideOften(stack, user, ridesOf(i))));
  }
  const context = { viewport: { width: 1_280, height: 1_200 } };
  const rule = document.rules.length - 1;
  const page = await open(`#/rules/${rule}?policy=hourly-rides&limit=2&minutes=60`, { context });
  await page.getByRole("group", { name: "Answer" }).locator("tbody tr").first().waitFor();
  return capture(page, page.getByRole("region", { name: "What if", exact: true }));
}

/** Enough for an estimate with an interval. */
const SAMPLED = 14;
const NAMED = 3;
/** Beyond the error of an isolate's top list. */
const MANY = 90;
const AT_ONCE = 25;

/** From two to eight. */
const ridesOf = (i: number) => 2 + ((5 * i) % 7);
