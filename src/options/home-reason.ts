/** Why home decides each request in which a policy takes part. */
export interface HomeReason {
  readonly name: string;
  /** The option by which home has to see each request; `undefined` if regions could keep units for too short a time. */
  readonly option: string | undefined;
}

/** The shortest term of a region. */
export const LEAST_TERM = "100ms";

export function whyHome(reasons: readonly HomeReason[]): string {
  return reasons
    .map(({ name, option }) =>
      option ? `"${name}" has ${option}` : `"${name}" would have a term of less than ${LEAST_TERM}`,
    )
    .join(", ");
}
