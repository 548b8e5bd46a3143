import type { Locator } from "playwright-core";

/** The numbers in the legend of a picture, by their labels. */
export async function legendOf(picture: Locator): Promise<Readonly<Record<string, number>>> {
  const items = picture.locator(".legend li");
  await items.first().waitFor();
  const pairs = await items.evaluateAll((all) =>
    all.map((item) => [
      item.querySelector(".name")!.textContent,
      item.querySelector("b")!.textContent,
    ]),
  );
  return Object.fromEntries(pairs.map(([name, text]) => [name, Number(text!.replaceAll(",", ""))]));
}
