import type { Admin } from "./administration/administered.ts";
import type { PlatformParts } from "./config/config.ts";

/** Features that only some platforms and deployments have. */
export interface Platform extends PlatformParts {
  /** The admin API and the dashboard: `admin` of `tidegate/admin`. */
  readonly admin?: Admin;
}
