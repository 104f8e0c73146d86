/// The contract as this server serves it: `openapi/openapi.yaml` with the settings that it mentions.
enum Contract {
    /// - Returns: UTF-8.
    static func document(_ settings: APISettings) -> [UInt8] {
        Array(adapted(settings).utf8)
    }

    private static func adapted(_ settings: APISettings) -> String {
        let text = ContractText.yaml
        let standard = APISettings(publicURL: settings.publicURL)
        guard
            settings.basePath != standard.basePath || settings.csrfHeader != standard.csrfHeader
                || settings.csrfValue != standard.csrfValue
        else { return text }
        // Keys of `paths` and the two lines of the header parameter are written so that they can be told from prose.
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            if line.hasPrefix("  /bff/") { return "  \(settings.basePath)/" + line.dropFirst("  /bff/".count) }
            if line == "      name: X-CSRF" { return "      name: \(settings.csrfHeader)" }
            if line == "        const: '1'" { return "        const: '\(settings.csrfValue)'" }
            return String(line)
        }.joined(separator: "\n")
    }
}
