# The REST bridge, from a clone: docker build -f deploy/redis-rest.Dockerfile -t tidegate-redis-rest:0.1.0 .
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run build:packages -- redis-rest

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
# One program that brings what it needs, and the script that it reads.
COPY --from=build /build/packages/redis-rest/dist/ /app/
USER node
ENTRYPOINT ["node", "/app/redis-rest.js"]
