# The simulator alone on an empty file system: no shell, no user list, nothing to patch. It has root certificates for
# services that stubs forward to. docs/running.md says how to run it.
ARG VERSION=devel

# The platform of the builder, so that nothing is emulated. A builder without the variable takes its own architecture.
FROM --platform=${BUILDPLATFORM:-linux} golang:1.26 AS build
# Where modules come from, for those who have a proxy of their own.
ARG GOPROXY
ARG GOSUMDB
ARG GONOSUMDB
ARG GOPRIVATE
WORKDIR /src
# The build downloads what the program needs, and not what its tests need.
COPY . .
ARG VERSION
ARG TARGETPLATFORM
ARG TARGETOS
ARG TARGETARCH
# A release has already built the program for each platform.
RUN if [ -f "$TARGETPLATFORM/banksim" ]; then cp "$TARGETPLATFORM/banksim" /banksim; else \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags "-s -w -X main.release=${VERSION}" -o /banksim ./cmd/banksim; fi

FROM scratch
ARG VERSION
ARG REVISION=unknown
LABEL org.opencontainers.image.title="banksim" \
      org.opencontainers.image.description="A stateful simulator of a digital banking interface" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="https://github.com/digitalbanking-sim/banksim" \
      org.opencontainers.image.documentation="https://github.com/digitalbanking-sim/banksim/blob/main/docs/running.md#docker" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY LICENSE /LICENSE
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /banksim /banksim
# Scenarios of one's own are mounted here; a relative name is looked for here.
WORKDIR /scenarios
USER 65532:65532
ENV BANKSIM_LISTEN=0.0.0.0:8080 BANKSIM_CONTROL=0.0.0.0:8081
EXPOSE 8080 8081
HEALTHCHECK --interval=5s --timeout=4s --start-period=10s --retries=3 CMD ["/banksim", "healthcheck"]
ENTRYPOINT ["/banksim"]
CMD ["serve"]
