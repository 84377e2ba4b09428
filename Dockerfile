# syntax=docker/dockerfile:1

# The server, and nothing else: no shell, no package manager, no root. The console's pages are in the binary.
#
#   docker build --build-arg VERSION="$(git describe --tags --always)" --tag teammem .

FROM golang:1.26 AS build
WORKDIR /src
# Libraries change less often than we do. The empty ones that go.mod names are ours.
COPY go.mod go.sum ./
COPY internal/lean internal/lean
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG VERSION
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -ldflags "-s -w ${VERSION:+-X main.version=$VERSION}" -o /out/teammem ./cmd/teammem \
    && mkdir /out/data

FROM scratch
# A database elsewhere may have a certificate of a public authority.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/teammem /usr/local/bin/teammem
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV TEAMMEM_DATA=/data TEAMMEM_LISTEN=0.0.0.0:8443
EXPOSE 8443
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s CMD ["/usr/local/bin/teammem", "health"]
ENTRYPOINT ["/usr/local/bin/teammem"]
CMD ["serve"]
