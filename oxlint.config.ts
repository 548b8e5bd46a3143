import { defineConfig, type OxlintOverride } from "oxlint";

/** The folders of src from the top down: files of one may import from those that come after it, never from those before. */
export const LAYERS = [
  "node",
  "dashboard",
  "admin",
  "gateway",
  "live",
  "metrics",
  "dropins",
  "adapter",
  "llm",
  "limiter",
  "features",
  "decide",
  "outage",
  "denials",
  "decision",
  "store",
  "policy",
  "algorithms",
  "lists",
  "partition",
  "options",
  "errors",
  "runtime",
];

const WEB_ONLY = {
  group: ["node:*"],
  message: "Only src/node and src/gateway/proxy/node run in Node alone: use web standards.",
};

/** The folders of the dashboard from the top down, in the same way. Views stand beside each other: none imports from another. */
export const DASHBOARD_LAYERS = [
  ["app"],
  ["audit", "edit", "lists", "overview", "partition", "rule", "rules"],
  ["code"],
  ["parts"],
  ["live"],
  ["api"],
];

/** The folders of src/features stand beside each other: none imports from another. */
export const FEATURES = [
  "calendar",
  "dimensions",
  "holds",
  "leases",
  "lists",
  "notices",
  "optimistic",
  "plans",
  "roles",
  "shards",
  "shared-denials",
  "sources",
  "listeners",
];

/** The entries of the package import from everywhere, and nothing imports from them. */
const ENTRIES = {
  regex:
    "^(\\.\\./)+(index|core|limit|hono|express|express-rate-limit|nest-throttler|better-auth|rate-limiter-flexible|upstash-ratelimit|fastify|vercel|node|cloudflare|durable-object|llm|gateway|admin|tracing|worker)\\.ts$",
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

const aboveOf = (layer: string): Refusal[] =>
  LAYERS.slice(0, LAYERS.indexOf(layer)).map((above) => ({
    regex: `^(\\.\\./)+${above}/`,
    message: `src/${layer} is below src/${above}: imports go down.`,
  }));

const layers = LAYERS.map((layer) => {
  const refusals = aboveOf(layer);
  return refusing(`src/${layer}/**`, layer === "node" ? refusals : [WEB_ONLY, ...refusals]);
});

const features = FEATURES.map((feature) => {
  const others = FEATURES.filter((other) => other !== feature).map((other) => ({
    regex: `^\\.\\./${other}/`,
    message: `The feature ${feature} does not know ${other}: no feature imports another.`,
  }));
  return refusing(`src/features/${feature}/**`, [WEB_ONLY, ...aboveOf("features"), ...others]);
});

/** Folders of src have the names of some views, so that a pattern counts the steps up. */
const dashboardLayers = DASHBOARD_LAYERS.flatMap((folders, i) =>
  folders.flatMap((folder) => {
    const refused = DASHBOARD_LAYERS.slice(0, i + 1)
      .flat()
      .filter((other) => other !== folder);
    return [1, 2].map((depth) =>
      refusing(`src/dashboard/${folder}${"/*".repeat(depth)}`, [
        WEB_ONLY,
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
      files: ["src/**"],
      rules: {
        "no-restricted-imports": ["error", { patterns: [WEB_ONLY] }],
        "no-console": "error",
      },
    },
    ...layers,
    // What imports of `#forward` find in Node.
    refusing("src/gateway/proxy/node/**", aboveOf("gateway")),
    { files: ["src/node/**"], rules: { "no-console": "off" } },
    ...features,
    ...dashboardLayers,
    { files: ["test/**"], rules: { "unicorn/consistent-function-scoping": "off" } },
  ],
  ignorePatterns: ["src/**/scripts.generated.ts"],
});
