/**
 * The administration API and the metrics of a gateway: `import { admin, metrics } from "tidegate/admin"`.
 *
 * @module
 */

export { admin } from "./admin/admin.ts";
export { metrics } from "./metrics/metrics.ts";
export type { Admin } from "./gateway/platform.ts";
