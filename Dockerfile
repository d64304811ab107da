# The command in an image without a shell or a package manager:
#   docker build -t pcc . && docker run --rm -v "$PWD:/work" pcc compile prompts/
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /pcc ./cmd/pcc

# The program is static and reads no certificates and no time zones.
FROM scratch
COPY --from=build /pcc /pcc
COPY LICENSE /LICENSE
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/pcc"]
