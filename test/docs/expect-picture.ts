import { expect } from "vitest";

import { parseSvg, type TextBox, textBoxes } from "./text-boxes.ts";

/** Expects of each picture: one short message as its name, and text that is whole and apart. */
export function expectPicture(svg: string): SVGSVGElement {
  const picture = parseSvg(svg);
  const title = picture.querySelector(":scope > title")!.textContent;
  expect(title.split(" ").length).toBeGreaterThan(6);
  expect(title).not.toMatch(/NaN|undefined|Infinity/);
  expect(picture.getAttribute("aria-label")).toBe(title);
  // Read in one go: the result, in two lines at most.
  expect(picture.querySelectorAll(':scope > text[font-weight="600"]').length).toBeLessThan(3);
  expect(picture.querySelector("style")!.textContent).toContain("prefers-color-scheme: dark");
  expect(svg.replaceAll(/ xmlns(:\w+)?="[^"]*"/g, "")).not.toMatch(/https?:|NaN/);

  const [, , width, height] = picture.getAttribute("viewBox")!.split(" ").map(Number);
  const boxes = textBoxes(picture);
  expect(boxes.length).toBeGreaterThan(4);
  const outside = boxes.filter(
    ({ left, right, top, bottom }) => left < 0 || right > width! || top < 0 || bottom > height!,
  );
  expect(outside).toEqual([]);
  const pairs = boxes.flatMap((box, i) =>
    boxes.slice(i + 1).flatMap((other) => (touch(box, other) ? [[box.text, other.text]] : [])),
  );
  expect(pairs).toEqual([]);
  // People read µs, and know nothing of a unit named us.
  expect(boxes.filter(({ text }) => /\d us\b/.test(text))).toEqual([]);
  return picture;
}

/** The descent below the letters of a line, and a gap. */
const BELOW = 5;

function touch(one: TextBox, other: TextBox): boolean {
  return (
    one.paragraph !== other.paragraph &&
    one.left < other.right &&
    other.left < one.right &&
    one.top < other.bottom + BELOW &&
    other.top < one.bottom + BELOW
  );
}
