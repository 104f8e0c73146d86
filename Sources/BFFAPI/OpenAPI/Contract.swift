internal import Basics

/// The contract as this server serves it: `openapi/openapi.yaml` and the schemas beside it as one document, with the
/// settings that it mentions.
enum Contract {
    /// The document in UTF-8.
    static func document(_ settings: APISettings) -> [UInt8] {
        var text = ContractText.yaml
        replace("X-CSRF", with: settings.csrfHeader, in: &text)
        replace("const: '1'", with: "const: \(quoted(settings.csrfValue))", in: &text)
        replace("/bff", with: settings.basePath, in: &text)
        return Array(text.utf8)
    }

    /// Puts `new` in every place of `old`.
    private static func replace(_ old: String, with new: String, in text: inout String) {
        guard new != old else { return }
        var result = ""
        var rest = text[...]
        while let place = rest.firstRange(ofText: old) {
            result += rest[..<place.lowerBound]
            result += new
            rest = rest[place.upperBound...]
        }
        text = result + rest
    }

    /// YAML's single quotes know one escape.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(byte: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
