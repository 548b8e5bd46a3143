# The REST bridge, from a clone: docker build -f deploy/redis-rest.Dockerfile -t tidegate-redis-rest:0.1.0 .
FROM node:24.11.0-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run build:packages -- redis-rest

FROM node:24.11.0-bookworm-slim
# One program that brings what it needs, and the script that it reads.
COPY --from=build /build/packages/redis-rest/dist/ /app/
USER node
ENTRYPOINT ["node", "/app/redis-rest.js"]
