import { EVERY_REQUEST_FEATURE } from "../adapter/every-feature.ts";
import { cors } from "./cors/feature.ts";
import { live } from "./live/feature.ts";
import { answerQuota } from "./quota.ts";

/** The features of `createGateway()`. */
export const EVERY_GATEWAY_FEATURE = {
  ...EVERY_REQUEST_FEATURE,
  cors,
  live,
  quota: answerQuota,
};

/** The features of a gateway, by their names. A bundle contains those that are given. */
export type GatewayFeatures = Partial<typeof EVERY_GATEWAY_FEATURE>;
