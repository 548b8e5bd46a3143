import { MODELS, type Model, type Settings } from "./models.ts";
import { UNITS, ZONES } from "./scale.ts";

/** The choice of a reader. */
export interface Choice {
  readonly modelId: string;
  readonly settings: Settings;
}

export const START: Settings = {
  limit: 10,
  window: 10,
  refill: 10,
  segments: 10,
  work: 2,
  unit: "day",
  timeZone: "Europe/Berlin",
};

/** Limits that people ask for in these words. */
export const PRESETS: readonly (Choice & { readonly name: string })[] = [
  {
    name: "100 per minute, strict",
    modelId: "segmented-window",
    settings: { ...START, limit: 100, window: 60 },
  },
  {
    name: "1,000,000 a month",
    modelId: "calendar",
    settings: { ...START, limit: 1_000_000, unit: "month", timeZone: "UTC" },
  },
  {
    name: "20 per second, smooth",
    modelId: "token-bucket",
    settings: { ...START, limit: 2, refill: 20, window: 1 },
  },
];

/** The code of a limiter with this policy, which runs as it is. */
export function codeFor({ code }: Model, settings: Settings): string {
  const policy = code(settings);
  const names = Array.from(policy.matchAll(/(\w+)\(/g), ([, name]) => name!);
  const imports = ["createLimiter", ...names].toSorted().join(", ");
  return `import { ${imports} } from "tidegate";

const limiter = createLimiter({
  policies: [
    ${policy},
  ],
});
`;
}

/** The query of an address that shows the same choice. */
export function queryOf({ modelId, settings }: Choice): string {
  const texts = Object.entries(settings).map(([name, value]) => [name, String(value)]);
  return `?${new URLSearchParams([["algorithm", modelId], ...texts])}`;
}

/** The choice of such a query; what it does not have, or has wrong, is as at the start. */
export function choiceOf(query: string): Choice | undefined {
  const given = new URLSearchParams(query);
  const model = MODELS.find(({ id }) => id === given.get("algorithm"));
  if (!model) return undefined;
  const number = (name: "limit" | "window" | "refill" | "segments" | "work") => {
    const value = Number(given.get(name));
    return value > 0 && value <= 1_000_000_000 ? value : START[name];
  };
  return {
    modelId: model.id,
    settings: {
      limit: number("limit"),
      window: number("window"),
      refill: number("refill"),
      segments: number("segments"),
      work: number("work"),
      unit: UNITS.find((unit) => unit === given.get("unit")) ?? START.unit,
      timeZone: ZONES.find((zone) => zone === given.get("timeZone")) ?? START.timeZone,
    },
  };
}
