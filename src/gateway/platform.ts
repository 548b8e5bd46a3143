import type { Environment } from "../runtime/environment.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { PlatformParts } from "./config/platform-parts.ts";
import type { LiveRules } from "./live/open-live.ts";

/** Features that only some platforms and deployments have. */
export interface Platform extends PlatformParts {
  /** The admin API and the dashboard: `admin` of `tidegate/admin`. */
  readonly admin?: Admin;
}

/** An administration of gateways, as it answers for one of them. */
export interface Administration {
  /** Answers the requests under `/_tidegate/api/`. */
  answer(request: Request, connection: string | undefined): Promise<Response>;
  /** Answers with a file of the dashboard by its path below `/_tidegate/`. */
  file(path: string): Promise<Response>;
}

/** Opens the administration of a gateway; `undefined` if no token may use it. */
export type Admin = (
  config: GatewayConfig,
  rules: LiveRules,
  environment: Environment,
) => Administration | undefined;
