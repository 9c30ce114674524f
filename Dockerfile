# The same files as the image of a release, for those who build their own: test/release/image says what goes into it, and makes it
# here too. No shell, no package manager, no kubectl: Node, the libraries that it is linked with, the bundles, and what V8 compiled of these.
# The base only builds. It is named by digest, so that a build can be repeated. A newer one, with the same Node: docker buildx imagetools inspect node:24.21.0-bookworm-slim
# The CA certificates are those inside Node; more come with --api-ca-file.
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20

# The platform of the machine that builds: the image of another one is put together without running it.
FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS root
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
COPY test/bundle ./test/bundle
COPY test/release ./test/release
ARG TARGETARCH=amd64
RUN node test/release/image/make-root.ts "${TARGETARCH}" /image

FROM scratch
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="pipewright" \
      org.opencontainers.image.description="Manages pipe settings and organization private endpoints of a hosted data platform from Git" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="https://github.com/pipewright/pipewright"
COPY --from=root /image /
ENV NODE_COMPILE_CACHE=/app/cache
# Else the C library keeps memory for each thread of V8, and gives it back to nobody: 9 MB (test/bench/README.md).
ENV MALLOC_ARENA_MAX=1
# Where the plugin finds a kubectl that is mounted into /usr/local/bin. The operator starts no program.
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
USER 65532:65532
EXPOSE 8080
# Starts the operator, with the restrictions of src/entrypoint.ts, unless the first argument is `plugin`.
ENTRYPOINT ["/usr/local/bin/node", "/app/entrypoint.js"]
