/// The contract as this server serves it: `openapi/openapi.yaml` with the settings that it mentions.
enum Contract {
    /// The document in UTF-8.
    static func document(_ settings: APISettings) -> [UInt8] {
        var lines = ContractText.yaml.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let (base, header, value) = (settings.basePath, settings.csrfHeader, settings.csrfValue)
        for index in lines.indices {
            // Written so that no other line of the file looks like one of these.
            switch lines[index] {
            case let line where line.hasPrefix("  /bff/"):
                lines[index] = "  \(base)/" + line.dropFirst("  /bff/".count)
            case "      name: X-CSRF": lines[index] = "      name: \(header)"
            case "        const: '1'": lines[index] = "        const: \(quoted(value))"
            case let line where line.hasPrefix("    Every call under"):
                lines[index] =
                    "    Every call under `\(base)` carries the header field `\(header): \(value)`, reads included."
            default: break
            }
        }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// YAML's single quotes know one escape.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
