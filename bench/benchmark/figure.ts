/** The middle of several measurements and how far they spread. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Target {
  /** The number of the figure that it is about. */
  readonly of: "ratio" | "tidegate";
  readonly bound: "at most" | "at least";
  readonly value: number;
}

/** One number of the benchmark, and the number to compare it with. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly tidegate: number;
  readonly peer?: { readonly name: string; readonly value: number };
  /** Tidegate's number through the peer's, pair by pair. */
  readonly ratio?: Spread;
  readonly target?: Target;
  /** Why the number is what it is, where that would surprise. */
  readonly because?: string;
  /** One of many alike: in the table and the results, not in the plot. */
  readonly detail?: boolean;
}

/** How long a part may take. */
export interface Scale {
  /** Only shows that everything runs; the numbers have no meaning. */
  readonly short: boolean;
  /**
   * Reports the current measurement, and the share of the part that is done; a part that reports shares does so from its
   * beginning.
   */
  readonly tell: (what: string, share: number) => void;
}

/** One part of the benchmark: its measurements, in the order to show. */
export type Part = (scale: Scale) => Promise<Figure[]>;

export function atMost(value: number, of: Target["of"] = "ratio"): Target {
  return { of, bound: "at most", value };
}

export function atLeast(value: number, of: Target["of"] = "ratio"): Target {
  return { of, bound: "at least", value };
}

/** Whether the target is met; `undefined` where there is none. */
export function meets({ target, ratio, tidegate }: Figure): boolean | undefined {
  if (!target) return undefined;
  const value = target.of === "ratio" ? ratio!.median : tidegate;
  return target.bound === "at most" ? value <= target.value : value >= target.value;
}

export type PeerFigure = Figure & Required<Pick<Figure, "peer">>;

/** The figures of a part that have a peer; none if the part was not measured. */
export function peerFigures(
  parts: Readonly<Record<string, { readonly figures: readonly Figure[] }>>,
  part: string,
): PeerFigure[] {
  const figures = parts[part]?.figures ?? [];
  return figures.filter((figure): figure is PeerFigure => figure.peer !== undefined);
}
