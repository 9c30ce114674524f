# The image holds Node, the libraries it is linked with, the bundles, and these as V8 compiled them. No shell, no package manager, no kubectl.
# The base is named by digest, so that a build can be repeated. A newer one, with the same Node: docker buildx imagetools inspect node:24.21.0-bookworm-slim
# The CA certificates are those inside Node; more come with --api-ca-file.
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20

FROM ${NODE_IMAGE} AS bundle
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
COPY test/bundle ./test/bundle
RUN node test/bundle/make.ts

FROM ${NODE_IMAGE} AS root
# ldd knows the libraries, and the loader, of whatever platform this is built for.
RUN set -eu; \
    mkdir -p /image/app /image/etc; \
    cp -L --parents "$(command -v node)" $(ldd "$(command -v node)" | grep -o '/[^ )]*') /image; \
    echo 'pipewright:x:65532:65532::/:/' > /image/etc/passwd; \
    echo 'pipewright:x:65532:' > /image/etc/group; \
    echo 'hosts: files dns' > /image/etc/nsswitch.conf; \
    mkdir -p /app/cache; \
    chown 65532:65532 /app/cache
COPY --from=bundle /build/dist/ /app/
# What V8 compiles is good for this version of Node, this path and this user, so it is made by that user at that path.
USER 65532:65532
RUN NODE_COMPILE_CACHE=/app/cache node /app/pipewright.js --version
RUN NODE_COMPILE_CACHE=/app/cache node /app/entrypoint.js plugin --help
USER 0:0
RUN chmod -R a+rX,a-w /app && chown -R 0:0 /app && cp -a /app /image/

FROM scratch
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="pipewright" \
      org.opencontainers.image.description="Keeps the settings of a hosted data platform as Kubernetes objects declare them" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=root /image /
ENV NODE_COMPILE_CACHE=/app/cache
# Where the plugin finds a kubectl that is mounted into /usr/local/bin. The operator starts no program.
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
USER 65532:65532
EXPOSE 8080
# Starts the operator, with the restrictions of src/entrypoint.ts, unless the first argument is `plugin`.
ENTRYPOINT ["/usr/local/bin/node", "/app/entrypoint.js"]
