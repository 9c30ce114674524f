# The image holds Node, the libraries it is linked with, the bundle, and the bundle as V8 compiled it. No shell, no package manager.
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
COPY --from=bundle /build/dist/pipewright.js /app/pipewright.js
COPY --from=bundle /build/dist/THIRD-PARTY-NOTICES /app/THIRD-PARTY-NOTICES
# What V8 compiles is good for this version of Node, this path and this user, so it is made by that user at that path.
USER 65532:65532
RUN NODE_COMPILE_CACHE=/app/cache node /app/pipewright.js --version
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
USER 65532:65532
EXPOSE 8080
# Node itself refuses to start a program, a thread or an addon, to write a file, and to read one that is not here: the bundle and
# what V8 made of it, the ServiceAccount, what is mounted below /etc/pipewright, and how many files are open. The cache is granted
# for writing because Node does not read it otherwise; its files belong to root. SQLite can open files past all this, so there is none.
ENTRYPOINT ["/usr/local/bin/node", "--permission", "--no-experimental-sqlite", \
            "--allow-fs-read=/app/*", "--allow-fs-write=/app/cache/*", \
            "--allow-fs-read=/var/run/secrets/kubernetes.io/serviceaccount/*", \
            "--allow-fs-read=/etc/pipewright/*", "--allow-fs-read=/proc/self/fd", \
            "/app/pipewright.js"]
