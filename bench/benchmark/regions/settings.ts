import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import type { LimiterOptions } from "../../../src/limiter/options.ts";
import { checkSettings, type LimiterSettings } from "../../../src/limiter/settings.ts";
import { Faults } from "../../../src/options/faults.ts";
import type { Way } from "./names.ts";
import { HOME_MS, type Scene } from "./scenes.ts";

/** Has no server: the stores are opened elsewhere. */
const REDIS = { url: "https://redis.example", token: "t" };

/** The settings of the limiters of one way. */
export function settingsOf(scene: Scene, way: Way): LimiterSettings {
  const faults = new Faults();
  const settings = checkSettings(optionsOf(scene, way), EVERY_FEATURE, faults);
  faults.throwIfAny();
  return settings;
}

function optionsOf({ policy, credit }: Scene, way: Way): LimiterOptions {
  const policies = [policy];
  switch (way) {
    case "region": {
      const own = credit > 0 ? { credit, regions: HOME_MS.length } : {};
      return { policies, region: { name: "nearby", redis: REDIS, term: "1s", ...own } };
    }
    case "leased":
      return { policies, lease: "auto" };
    case "optimistic":
      return { policies: [{ ...policy, optimistic: true }] };
    default:
      return { policies };
  }
}
