/** One line per test, for whoever reports what an outage costs. */
export function figures(
  test: string,
  values: Readonly<Record<string, number | string | undefined>>,
): void {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  const parts = known.map(([name, value]) => {
    return `${name} ${typeof value === "number" ? Math.round(value * 10) / 10 : value}`;
  });
  console.info(`figures: ${test}: ${parts.join(", ")}`);
}
