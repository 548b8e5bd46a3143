import { goBehind, putText } from "../../test/dashboard/editor.ts";
import { capture } from "./capture.ts";
import type { PictureSet } from "./set.ts";

/** Prepares the scene, and takes the picture. */
type Take = (set: PictureSet) => Promise<Buffer>;

/** By the names of their files in docs/pictures. */
export const PICTURES: Readonly<Record<string, Take>> = {
  "dashboard-overview": overview,
  "dashboard-edit": edit,
  "dashboard-partition": partition,
  "dashboard-trial": trial,
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

/** A lower limit that a third of the riders have, and what both sides have decided. */
async function trial({ open, stack, document, publish }: PictureSet): Promise<Buffer> {
  const tried = JSON.stringify(document).replace('"limit":20,"refill":10', '"limit":9,"refill":1');
  await publish(tried, 1, "?percent=30&max-denied=0.4");
  const ride = async (rider: string) => {
    const headers = { "x-user-id": rider, "cf-connecting-ip": CLIENT };
    const url = `${stack.workers[0]}/api/rides/request`;
    for (let i = 0; i < RIDES; i++) await (await fetch(url, { method: "POST", headers })).text();
  };
  await Promise.all(Array.from({ length: RIDERS }, (_, i) => ride(`rider-${i}`)));
  const context = { viewport: { width: 1_280, height: 700 } };
  const page = await open("#/rules", { context });
  await page.getByText("is tried on 30 % of the clients").waitFor();
  return capture(page);
}

const CLIENT = "203.0.113.7";
/** So many that a third of them is some, each with more rides than the tried limit has. */
const RIDERS = 15;
const RIDES = 12;
/** More than a burst may have. */
const LOGINS = 7;
