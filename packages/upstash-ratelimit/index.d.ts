export * from "tidegate/upstash-ratelimit";
