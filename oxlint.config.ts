import { defineConfig, type OxlintOverride } from "oxlint";

/** The folders of src from the top down: files of one may import from those that come after it, never from those before. */
export const LAYERS = [
  "admin",
  "gateway",
  "metrics",
  "dropins",
  "adapter",
  "llm",
  "limiter",
  "features",
  "decide",
  "store",
  "policy",
  "algorithms",
  "partition",
  "options",
  "runtime",
];

const WEB_ONLY = {
  group: ["node:*"],
  message: "Only src/gateway/proxy/node and programs run in Node alone: use web standards.",
};

/** The folders of src/gateway from the top down, in the same way. Its own files are above them. */
export const GATEWAY_LAYERS = ["live", "config", "proxy", "route", "rules"];

/** The folders of the dashboard from the top down, in the same way. Views stand beside each other: none imports from another. */
export const DASHBOARD_LAYERS = [
  ["app"],
  ["audit", "edit", "lists", "overview", "partition", "rule", "rules"],
  ["code"],
  ["parts"],
  ["live"],
  ["api"],
];

/** Features stand beside each other in src/features: none imports from another. One of few files has no folder. */
export const FEATURES: Readonly<Record<string, readonly string[]>> = {
  calendar: ["calendar-feature.ts"],
  cluster: ["cluster-feature.ts"],
  dimensions: ["dimensions-feature.ts"],
  holds: ["holds/"],
  jwt: ["jwt/"],
  leases: ["leases/"],
  listeners: ["decision-listener.ts", "span-attributes.ts"],
  lists: ["lists/"],
  notices: ["notice-marks.ts", "notice-steps.ts", "notices-feature.ts"],
  optimistic: [
    "optimistic-feature.ts",
    "optimistic-partitions.ts",
    "optimistic-step.ts",
    "optimistic-verdict.ts",
    "settle-optimistic.ts",
  ],
  plans: ["plans-feature.ts", "plans.ts"],
  region: ["compile-region.ts", "regions-feature.ts", "region-options.ts", "report-home.ts"],
  roles: ["roles/"],
  shards: ["shard-step.ts", "shards-feature.ts"],
  "shared denials": ["shared-denials-feature.ts", "shared-denials-step.ts", "shared-denials.ts"],
  sources: ["sources-feature.ts"],
};

/** The entries of the package import from everywhere, and nothing imports from them. */
const ENTRIES = {
  regex:
    "^(\\.\\./)+(src/)?(index|core|limit|hono|express|express-rate-limit|nest-throttler|better-auth|rate-limiter-flexible|upstash-ratelimit|fastify|vercel|node|cloudflare|durable-object|llm|pacing|prices|gateway|admin|jwt|tracing|worker)\\.ts$",
  message: "It is an entry of the package: import what it imports.",
};

type Refusal = { readonly message: string } & (
  | { readonly regex: string }
  | { readonly group: string[] }
);

/** Lets files import nothing of these and no entry. */
function refusing(files: string, refusals: readonly Refusal[]): OxlintOverride {
  const patterns = [ENTRIES, ...refusals];
  return { files: [files], rules: { "no-restricted-imports": ["error", { patterns }] } };
}

/** What requests run knows of no program. */
const PACKAGES_ABOVE = {
  regex: "^(\\.\\./)+packages/",
  message: "src is below the packages: imports go down.",
};

const aboveOf = (layer: string): Refusal[] => [
  PACKAGES_ABOVE,
  ...LAYERS.slice(0, LAYERS.indexOf(layer)).map((above) => ({
    regex: `^(\\.\\./)+${above}/`,
    message: `src/${layer} is below src/${above}: imports go down.`,
  })),
];

const layers = LAYERS.map((layer) => refusing(`src/${layer}/**`, [WEB_ONLY, ...aboveOf(layer)]));

/** The programs: each imports from `src`, and the command line from the bridge, whose client of Redis the doctor uses. */
const programs = [
  refusing("packages/cli/src/**", othersOf("cli", ["dashboard"])),
  refusing("packages/redis-rest/src/**", othersOf("redis-rest", ["cli", "dashboard"])),
];

function othersOf(name: string, others: readonly string[]): Refusal[] {
  return others.map((other) => ({
    regex: `^(\\.\\./)+${other}/src/`,
    message: `packages/${name} does not know packages/${other}.`,
  }));
}

const features = Object.entries(FEATURES).flatMap(([feature, files]) => {
  const others = Object.entries(FEATURES)
    .filter(([other]) => other !== feature)
    .map(([other, theirs]) => ({
      regex: `^\\.\\.?/(?:${theirs.map((file) => file.replace(".ts", "\\.ts$")).join("|")})`,
      message: `The feature ${feature} does not know ${other}: no feature imports another.`,
    }));
  return files.map((file) =>
    refusing(`src/features/${file.replace(/\/$/, "/**")}`, [
      WEB_ONLY,
      ...aboveOf("features"),
      ...others,
    ]),
  );
});

const gatewayLayers = GATEWAY_LAYERS.flatMap((folder, i) => {
  const above = GATEWAY_LAYERS.slice(0, i).map((other) => `${other}/`);
  const regex = `^\\.\\./(?:${[...above, "[\\w-]+\\.ts$"].join("|")})`;
  const message = `The gateway's ${folder} is below this: imports go down.`;
  return refusing(`src/gateway/${folder}/*`, [WEB_ONLY, ...aboveOf("gateway"), { regex, message }]);
});

/** Folders of src have the names of some views, so that a pattern counts the steps up. */
const dashboardLayers = DASHBOARD_LAYERS.flatMap((folders, i) =>
  folders.flatMap((folder) => {
    const refused = DASHBOARD_LAYERS.slice(0, i + 1)
      .flat()
      .filter((other) => other !== folder);
    return [1, 2].map((depth) =>
      refusing(`packages/dashboard/src/${folder}${"/*".repeat(depth)}`, [
        WEB_ONLY,
        ...othersOf("dashboard", ["cli", "redis-rest"]),
        ...refused.map((other) => ({
          regex: `^(\\.\\./){${depth}}${other}/`,
          message: `The dashboard's ${folder} is not above its ${other}: imports go down.`,
        })),
      ]),
    );
  }),
);

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  rules: {
    "no-await-in-loop": "off",
    "import/no-unassigned-import": "off",
    // A module of Nest is a class with nothing in it.
    "typescript/no-extraneous-class": ["error", { allowWithDecorator: true }],
    "unicorn/no-array-sort": "off",
    "import/no-default-export": "off",
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-named-as-default-member": "off",
    "no-shadow": "off",
    "no-underscore-dangle": "off",
    "unicorn/prefer-set-has": "off",
  },
  overrides: [
    {
      files: ["src/**", "packages/dashboard/src/**"],
      rules: {
        "no-restricted-imports": ["error", { patterns: [WEB_ONLY, PACKAGES_ABOVE] }],
        "no-console": "error",
      },
    },
    ...layers,
    ...gatewayLayers,
    // What imports of `#forward` find in Node.
    refusing("src/gateway/proxy/node/**", aboveOf("gateway")),
    ...features,
    ...programs,
    ...dashboardLayers,
    { files: ["test/**"], rules: { "unicorn/consistent-function-scoping": "off" } },
  ],
  ignorePatterns: ["src/**/scripts.generated.ts"],
});
