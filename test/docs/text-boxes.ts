import { JSDOM } from "jsdom";

import { textWidth } from "../../bench/plot/text-width.ts";

/** Where a line of text of a picture is at most, in the picture's units. */
export interface TextBox {
  readonly text: string;
  /** Lines of one paragraph have the same number. */
  readonly paragraph: number;
  readonly left: number;
  readonly right: number;
  /** Of the letters, without their descent. */
  readonly bottom: number;
  readonly top: number;
}

/** Throws if it is no well-formed XML. */
export function parseSvg(svg: string): SVGSVGElement {
  const { window } = new JSDOM(svg, { contentType: "image/svg+xml" });
  return window.document.documentElement as unknown as SVGSVGElement;
}

/** The boxes of all lines of text, by an upper estimate of their widths. */
export function textBoxes(picture: Element): TextBox[] {
  return [...picture.querySelectorAll("text")].flatMap((element, paragraph) => {
    const size = Number.parseFloat(inherited(element, "font-size") ?? "16");
    const bold = Number(inherited(element, "font-weight") ?? 400) > 500;
    const anchor = inherited(element, "text-anchor") ?? "start";
    const [x, y] = originOf(element);
    return linesOf(element).map((line) => {
      const text = line.textContent;
      const width = textWidth(text, { size, bold });
      const left =
        x + lengthOf(line, "x", size) - width * { start: 0, middle: 0.5, end: 1 }[anchor]!;
      const bottom = y + lengthOf(line, "y", size);
      return { text, paragraph, left, right: left + width, bottom, top: bottom - 0.75 * size };
    });
  });
}

/** A text, or those of its pieces that begin a line. */
function linesOf(text: Element): Element[] {
  const lines = [...text.querySelectorAll("tspan[x]")];
  return lines.length > 0 ? lines : [text];
}

function inherited(element: Element, name: string): string | undefined {
  for (let each: Element | null = element; each; each = each.parentElement) {
    const style = new RegExp(`${name}: ([^;]+)`).exec(each.getAttribute("style") ?? "")?.[1];
    const value = style ?? each.getAttribute(name);
    if (value !== null) return value;
  }
  return undefined;
}

function originOf(element: Element): [number, number] {
  let [x, y] = [0, 0];
  for (let each: Element | null = element; each; each = each.parentElement) {
    const transform = each.getAttribute("transform");
    const moved = /^translate\(([-\d.e]+),([-\d.e]+)\)$/.exec(transform ?? "translate(0,0)");
    if (!moved) throw new Error(`a transform that is not known: ${transform}`);
    x += Number(moved[1]);
    y += Number(moved[2]);
    if (each.tagName === "svg") {
      x += lengthOf(each, "x", 0);
      y += lengthOf(each, "y", 0);
    }
  }
  return [x, y];
}

function lengthOf(element: Element, name: string, size: number): number {
  const value = element.getAttribute(name) ?? "0";
  return Number.parseFloat(value) * (value.endsWith("em") ? size : 1);
}
