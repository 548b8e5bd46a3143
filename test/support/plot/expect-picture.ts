import { expect } from "vitest";

import { parseSvg, textBoxes } from "./text-boxes.ts";

/** What is true of each picture: one message, which it is named by, and no text beyond its edges. */
export function expectPicture(svg: string): SVGSVGElement {
  const picture = parseSvg(svg);
  const title = picture.querySelector(":scope > title")!.textContent;
  expect(title.split(" ").length).toBeGreaterThan(6);
  expect(title).not.toMatch(/NaN|undefined|Infinity/);
  expect(picture.getAttribute("aria-label")).toBe(title);
  expect(picture.querySelector("style")!.textContent).toContain("prefers-color-scheme: dark");
  expect(svg.replaceAll(/ xmlns(:\w+)?="[^"]*"/g, "")).not.toMatch(/https?:|NaN/);

  const [, , width, height] = picture.getAttribute("viewBox")!.split(" ").map(Number);
  const boxes = textBoxes(picture);
  expect(boxes.length).toBeGreaterThan(4);
  const outside = boxes.filter(
    ({ left, right, top, bottom }) => left < 0 || right > width! || top < 0 || bottom > height!,
  );
  expect(outside).toEqual([]);
  return picture;
}
