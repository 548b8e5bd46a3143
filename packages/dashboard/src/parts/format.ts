const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const exact = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

/** Exact below a hundred thousand, which is as much as fits a tile. */
export function count(value: number): string {
  return Math.abs(value) < 100_000 ? whole.format(value) : short.format(value);
}

export function full(value: number): string {
  return exact.format(value);
}

const all = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });

/** A number of a policy with all its digits; any other value as it is. */
export function quota(value: unknown): string {
  return typeof value === "number" ? all.format(value) : String(value);
}

export function percent(count: number, all: number): string {
  if (all === 0) return "–";
  if (count === 0) return "0 %";
  const share = (100 * count) / all;
  if (share > 0 && share < 0.1) return "< 0.1 %";
  return `${share.toFixed(share < 10 ? 1 : 0)} %`;
}

export function milliseconds(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms === 0) return "0 ms";
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return duration(ms);
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

/** A time in its largest unit, and one more. */
export function duration(ms: number): string {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first === -1) return `${Math.ceil(ms)} ms`;
  const [unit, size] = UNITS[first]!;
  if (unit === "s") return `${Math.round(ms / 100) / 10} s`;
  const [nextUnit, nextSize] = UNITS[first + 1]!;
  const rest = Math.floor((ms % size) / nextSize);
  return `${Math.floor(ms / size)} ${unit}${rest > 0 ? ` ${rest} ${nextUnit}` : ""}`;
}

const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const times = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export function moment(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : moments.format(at);
}

export function timeOfDay(ms: number): string {
  return times.format(ms);
}

export function day(ms: number): string {
  return days.format(ms);
}

/** The time zone of the page's times, such as `Europe/Zurich, GMT+1`. */
export function timeZone(): string {
  const { timeZone: name } = new Intl.DateTimeFormat().resolvedOptions();
  const parts = new Intl.DateTimeFormat("en", { timeZoneName: "shortOffset" }).formatToParts();
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  return offset === "GMT" || offset === "GMT+0" ? name : `${name}, ${offset}`;
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, each) => total + each, 0);
}
