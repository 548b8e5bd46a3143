import { day, full, milliseconds, timeOfDay } from "./format.ts";

/** Labels of lines, with more digits where short ones would say the same of two lines. */
export function distinct(values: readonly number[], format: (value: number) => string): string[] {
  const short = values.map(format);
  if (new Set(short).size === values.length) return short;
  return values.map((value) => (format === milliseconds ? `${full(value)} ms` : full(value)));
}

/** Times of day, with the day where there are several. */
export function labelsAt(splits: readonly number[]): string[] {
  const ms = splits.map((seconds) => seconds * 1000);
  const days = ms.map(day);
  if (new Set(days).size < 2) return ms.map(timeOfDay);
  const isDaily = new Set(ms.map(timeOfDay)).size === 1;
  return isDaily ? days : ms.map((at, i) => `${timeOfDay(at)}\n${days[i]}`);
}
