# Cloakroom in a container: built with the Swift image, run on Debian with nothing but the libraries it loads.
#
#   make image         builds it, by docker, podman or buildah
#   make image-test    runs it as below and signs in
#
#   docker run --read-only --cap-drop all -p 127.0.0.1:8080:8080 \
#       -v ./cloakroom.yaml:/etc/cloakroom/cloakroom.yaml:ro -v ./secrets:/run/secrets:ro cloakroom
#
# The user in the container is number 10001: the files in secrets belong to it (chown 10001, mode 0600).
# The configuration listens on 0.0.0.0:8080 inside a container and keeps `admin: 127.0.0.1:8081`, which the health check
# asks from inside. Nothing is written to disk unless the configuration names an SQLite file: mount a volume for it.

# A release names both bases by digest, so that the same source gives the same image:
#   CLOAKROOM_BUILD_BASE=swift:6.3-bookworm@sha256:… CLOAKROOM_BASE=debian:bookworm-slim@sha256:… make image
ARG BUILD_BASE=swift:6.3-bookworm
ARG BASE=debian:bookworm-slim

FROM ${BUILD_BASE} AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        libcurl4-openssl-dev libhiredis-dev libjemalloc-dev libmicrohttpd-dev libsqlite3-dev libssl-dev libyaml-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# Only the program stays in the layer: what was compiled on the way is hundreds of megabytes.
RUN scripts/release-build --product cloakroom --scratch-path /tmp/build \
    && install -D -s /tmp/build/release/cloakroom /out/cloakroom \
    && rm -rf /tmp/build

FROM ${BASE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates libcurl4 libhiredis0.14 libjemalloc2 libmicrohttpd12 libsqlite3-0 libssl3 libstdc++6 libyaml-0-2 \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 cloakroom \
    && useradd --uid 10001 --gid cloakroom --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin cloakroom
COPY --from=build /out/cloakroom /usr/local/bin/cloakroom
COPY LICENSE NOTICE /usr/share/doc/cloakroom/
# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
    CMD ["/usr/local/bin/cloakroom", "check", "--ready", "http://127.0.0.1:8081/readyz"]
# SIGTERM drains; give it as long as the configuration's drain time (docker stop --time).
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/cloakroom"]
CMD ["serve", "--config", "/etc/cloakroom/cloakroom.yaml"]
