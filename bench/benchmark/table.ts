import { styled } from "../../packages/cli/src/output/style.ts";
import { wrapWords } from "../../scripts/support/wrap-words.ts";
import { significant } from "../support/numbers.ts";
import { type Figure, meets } from "./figure.ts";

/** As wide as the verdicts below. */
const INDENT = " ".repeat(8);

/** The figures of a part in lines that fit a terminal of this many columns: a verdict, the name, the numbers. */
export function table(part: string, figures: readonly Figure[], columns: number): string {
  const within = (text: string) => wrapWords(text, columns - 1, INDENT);
  const texts = figures.flatMap((figure) => [
    verdictOf(figure) + within(figure.name).trimStart(),
    within(numbersOf(figure)),
  ]);
  return [`\n${styled("bold", part)}\n`, ...texts].join("\n");
}

function verdictOf(figure: Figure): string {
  const met = meets(figure);
  if (met === undefined) return INDENT;
  return met ? `${styled("green", "met")}     ` : `${styled("red", "missed")}  `;
}

function numbersOf({ unit, tidegate, peer, ratio, target, because }: Figure): string {
  const number = (value: number) => `${grouped(value)}${unit && ` ${shown(unit)}`}`;
  const texts = [number(tidegate)];
  if (peer) texts.push(`${peer.name}: ${number(peer.value)}`);
  if (ratio) {
    const [median, min, max] = [ratio.median, ratio.min, ratio.max].map(grouped);
    texts.push(`ratio ${median}${min === max ? "" : ` (${min} to ${max})`}`);
  }
  if (target) {
    const of = target.of === "ratio" ? "ratio " : "";
    texts.push(`target: ${of}${target.bound} ${grouped(target.value)}`);
  }
  if (because !== undefined) texts.push(because);
  return texts.join("; ");
}

function grouped(value: number): string {
  return Number(significant(value)).toLocaleString("en", { maximumFractionDigits: 20 });
}

/** A unit as people read it. */
function shown(unit: string): string {
  return unit === "us" ? "µs" : unit;
}
