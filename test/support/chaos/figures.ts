/** One line per test, for reports of the cost of an outage. */
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
