// swift-format-ignore-file
// Written by scripts/embed-contract from openapi/openapi.yaml: change that file and run `make openapi`.

/// The contract, byte for byte.
enum ContractText {
    static let yaml = part1 + part2 + part3
}
