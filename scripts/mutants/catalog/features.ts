import type { Written } from "../written.ts";

const CORE = ["test/limiter/core"];
const CLUSTER = ["test/store/split-cluster"];

/** What a limiter has of the features that are imported, and nothing else. */
export const FEATURES: readonly Written[] = [
  {
    name: "options of a feature that is missing are ignored",
    file: "src/limiter/limiter-with.ts",
    find: "    checkFeatures(own, features, faults);\n",
    replace: "",
    tests: CORE,
  },
  {
    name: "options of a policy need no feature",
    file: "src/limiter/features.ts",
    find: "if (value !== undefined && value !== plain) need(",
    replace: "if (value === null) need(",
    tests: CORE,
  },
  {
    name: "the value that is the default needs a feature",
    file: "src/limiter/features.ts",
    find: " && value !== plain",
    replace: "",
    tests: CORE,
  },
  {
    name: "a policy that counts failures needs no holds",
    file: "src/limiter/features.ts",
    find: 'if (policy.counts === "failures") need(',
    replace: 'if (policy.counts === "denials") need(',
    tests: CORE,
  },
  {
    name: "slots need no holds",
    file: "src/limiter/features.ts",
    find: "if (policy[IMPLEMENTATION]?.hasSlots) {",
    replace: "if (policy[IMPLEMENTATION]?.hasSlots === null) {",
    tests: CORE,
  },
  {
    name: "a fault shows what an object of a missing feature holds",
    file: "src/limiter/features.ts",
    find: 'typeof value === "object" && value !== null ? "(an object)" : value',
    replace: "value",
    tests: CORE,
  },
  {
    name: "a plan of requests without the feature is ignored",
    file: "src/adapter/request-limiter.ts",
    find: "if (!plans && options.plan !== undefined) {",
    replace: "if (!plans && options.plan === null) {",
    tests: CORE,
  },
  {
    name: "a plan of a call without the feature is ignored",
    file: "src/limiter/limiter.ts",
    find: "{ plans: { steps: withoutPlans }, ...features }",
    replace: "features",
    tests: CORE,
  },
  {
    name: "the middleware of Vercel ignores options of a missing feature",
    file: "src/vercel.ts",
    find: "    checkFeatures(options as Partial<LimiterOptions>, features, faults);\n",
    replace: "",
    tests: CORE,
  },
  {
    name: "a plain breaker takes the refusal of a Cluster for an answer",
    file: "src/store/plain-breaker.ts",
    find: "isAnswer: () => false",
    replace: "isAnswer: () => true",
    tests: CLUSTER,
  },
  {
    name: "a limiter with the feature cluster does not split",
    file: "src/store/open-store.ts",
    find: "...(cluster ? cluster.split(guard) : guard),",
    replace: "...guard,",
    tests: CLUSTER,
  },
];
