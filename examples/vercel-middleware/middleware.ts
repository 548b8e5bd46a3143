import { tokenBucket } from "tidegate";
import { rateLimit } from "tidegate/vercel";

export const config = { matcher: "/api/:path*" };

export default rateLimit({
  policies: [tokenBucket({ name: "vercel", limit: 20, refill: 1, per: "1m" })],
  clientIp: "vercel",
});
