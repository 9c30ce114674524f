# The image of the operator: docker build -t pipewright . (or another builder that sets BUILDPLATFORM, such as buildah)
# Both bases are named by digest, so that a build can be repeated. The newest: docker buildx imagetools inspect NAME:TAG
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f

FROM ${NODE_IMAGE} AS node

# On the platform of the machine that builds: the bundle is the same for all.
FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json LICENSE ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src ./src
COPY test/build.ts test/notices.ts ./test/
RUN node test/build.ts

# No shell, no package manager, no kubectl: Node, the libraries that it is linked with, CA certificates, and the operator in one file.
FROM ${BASE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="pipewright" \
      org.opencontainers.image.description="Manages pipe settings and organization private endpoints of a hosted data platform from Git" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="https://github.com/pipewright/pipewright"
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=build /build/dist/pipewright.js /build/dist/THIRD-PARTY-NOTICES /app/
USER 65532:65532
EXPOSE 8080
# V8 keeps memory for speed unless it is told not to, and the C library some for each thread. With 10,000 objects: up to 215 MB, also while all of them wait for their turn.
ENV MALLOC_ARENA_MAX=1
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=4", "--heap-growing-percent=40", "/app/pipewright.js"]
