# Two stages: the bundle is built with everything the lock file names; the image has Node and the bundle alone.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
COPY test/build.ts test/steps.ts test/setup.mjs ./test/
RUN node test/build.ts

FROM ${RUNTIME_IMAGE}
COPY --from=build /build/dist/pipewright.js /app/pipewright.js
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/nodejs/bin/node", "/app/pipewright.js"]
