internal import JSON

/// The texts that themes keep in the stage of a page, which then is a JSON object (docs/protocol.md, 'Pages').
struct PageTexts {
    /// The members that there are, each in one language.
    let document: JSONObject

    /// Reads a stage; no texts where it is no JSON object.
    ///
    /// - Parameters:
    ///   - stage: What the author of the journey calls the page.
    ///   - languages: Language tags of the flow, best first.
    init(_ stage: String, languages: @autoclosure () -> [String]) {
        var document = JSONObject()
        if stage.utf8.first == UInt8(ascii: "{"), let object = (try? JSONValue(parsing: stage))?.object {
            let languages = languages()
            for name in ["submitButtonText", "pageFooter"] {
                guard let text = object[name].flatMap({ Self.text($0, languages) }) else { continue }
                document[name] = .string(text)
            }
        }
        self.document = document
    }

    /// The text of the exact locale in lower case, with `_` before `-`, then of its language, then the first, which the only
    /// one is too.
    private static func text(_ value: JSONValue, _ languages: [String]) -> String? {
        let texts = (value.object ?? [:]).compactMap { entry in entry.value.string.map { (entry.name, $0) } }
        for language in languages {
            let tag = language.lowercased()
            let parts = tag.split { $0 == "-" || $0 == "_" }
            for key in [parts.joined(separator: "_"), parts.joined(separator: "-"), String(parts.first ?? "")] {
                if let found = texts.first(where: { $0.0 == key }) { return found.1 }
            }
        }
        return texts.first?.1 ?? value.string
    }
}
