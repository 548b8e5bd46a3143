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
