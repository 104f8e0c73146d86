internal import JSON

/// The texts that themes keep in the stage of a page, which then is a JSON object (docs/protocol.md, 'Pages').
struct PageTexts {
    /// The texts that the stage has, each in one language.
    let document: JSONObject

    /// Reads a stage; without texts if the stage is not a JSON object.
    ///
    /// - Parameters:
    ///   - stage: The name that the author of the journey gives the page.
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

    /// The text for the first language that has one, else the first text or the only one.
    ///
    /// For each language the exact locale in lower case is tried with `_`, then with `-`, then the language alone.
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
