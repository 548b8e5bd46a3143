export type PlatformName = "cloudflare" | "vercel" | "node";
export type StoreName = "durable-object" | "redis" | "memory";

/** A place where a gateway runs, and its differences from the others. */
export interface Platform {
  readonly label: string;
  /** The folder of `templates`. */
  readonly template: string;
  /** The stores that it can have; the first one is the default. */
  readonly stores: readonly [StoreName, ...StoreName[]];
  /** The file of variables that must not be committed. It is made from the one of this name and `.example`. */
  readonly secrets: ".dev.vars" | ".env";
  /** The command that starts the gateway. */
  readonly start: string;
  /** The command that serves a Redis of this machine to the gateway, where it has one. */
  readonly bridge?: string;
}

export const PLATFORMS: Readonly<Record<PlatformName, Platform>> = {
  cloudflare: {
    label: "Cloudflare Workers",
    template: "gateway",
    stores: ["durable-object", "redis", "memory"],
    secrets: ".dev.vars",
    start: "npm run dev",
  },
  vercel: {
    label: "Vercel",
    template: "gateway-vercel",
    // Each request may meet another isolate, so that memory would hardly count.
    stores: ["redis"],
    secrets: ".env",
    start: "npx vercel dev",
  },
  node: {
    label: "Node",
    template: "gateway-node",
    stores: ["redis", "memory"],
    secrets: ".env",
    start: "npm start",
    bridge: "npm run bridge",
  },
};

export const STORES: Readonly<Record<StoreName, string>> = {
  "durable-object": "Durable Objects: no other account",
  redis: "Redis with a REST API, such as Upstash",
  memory: "memory: each process counts alone, to try it",
};
