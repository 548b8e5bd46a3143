import type { Distribution } from "./snapshot.ts";

/*
 * The families of OpenMetrics' text format: a type, a help, and the samples of one name.
 */

export type Labels = Readonly<Record<string, string>>;
type Sample = readonly [suffix: string, labels: Labels, value: number];
type Values = readonly (readonly [Labels, number])[];

export function counter(name: string, help: string, values: Values): string {
  const samples = values.map(([labels, value]): Sample => ["_total", labels, value]);
  return family(name, "counter", help, samples);
}

export function gauge(name: string, help: string, values: Values): string {
  const samples = values.map(([labels, value]): Sample => ["", labels, value]);
  return family(name, "gauge", help, samples);
}

export function histogram(
  name: string,
  help: string,
  bounds: readonly number[],
  distributions: readonly (readonly [Labels, Distribution])[],
): string {
  const samples = distributions.flatMap(([labels, found]) => bucketsOf(found, bounds, labels));
  return family(name, "histogram", help, samples);
}

/**
 * The counts of every value that a label can have. Prometheus does not see a counter rise that begins with its first failure, so
 * those without one are written as 0.
 */
export function eachOf(
  label: string,
  values: readonly string[],
  counts: readonly (readonly [value: string, count: number])[],
): readonly (readonly [Labels, number])[] {
  const found = new Map(counts);
  return values.map((value) => [{ [label]: value }, found.get(value) ?? 0]);
}

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const unit = name.endsWith("_seconds") ? `# UNIT ${name} seconds\n` : "";
  const lines = samples.map(
    ([suffix, labels, value]) => `${name}${suffix}${labelled(labels)} ${value}\n`,
  );
  return `# TYPE ${name} ${type}\n${unit}# HELP ${name} ${escaped(help)}\n${lines.join("")}`;
}

function bucketsOf(
  { buckets, sum }: Distribution,
  bounds: readonly number[],
  labels: Labels,
): readonly Sample[] {
  let count = 0;
  const samples: Sample[] = bounds.map((bound, i) => {
    count += buckets[i]!;
    // OpenMetrics spells whole numbers so.
    const le = Number.isInteger(bound) ? `${bound}.0` : String(bound);
    return ["_bucket", { ...labels, le }, count];
  });
  count += buckets[bounds.length] ?? 0;
  return [
    ...samples,
    ["_bucket", { ...labels, le: "+Inf" }, count],
    ["_count", labels, count],
    ["_sum", labels, sum],
  ];
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

const ESCAPES: Labels = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (character) => ESCAPES[character]!);
}
