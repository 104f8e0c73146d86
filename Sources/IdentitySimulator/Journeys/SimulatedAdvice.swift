/// The advice of a policy: `<Advices><AttributeValuePair><Attribute name="…"/><Value>…</Value>…`.
struct SimulatedAdvice: Sendable {
    let name: String
    /// The value behind the realm, if a realm is named: `StepUp` of `/alpha:StepUp`.
    let value: String

    /// Parses an advice; nil if the text is none.
    init?(_ text: String) {
        guard let name = Self.part(of: text, between: "<Attribute name=\"", and: "\""),
            let value = Self.part(of: text, between: "<Value>", and: "</Value>")
        else { return nil }
        self.name = name
        self.value = value.split(separator: ":").last.map { String($0) } ?? ""
    }

    /// The transaction to authorise; nil if the advice is of another kind.
    var transaction: String? { name == "TransactionConditionAdvice" ? value : nil }

    /// The journey that fulfils the advice; nil if no journey does.
    var journey: String? {
        switch name {
        case "AuthenticateToServiceConditionAdvice": value
        case "AuthLevelConditionAdvice": Int(value).map { $0 <= 0 ? JourneyCatalogue.standard : "StepUp" }
        case "TransactionConditionAdvice": "Advice"
        default: nil
        }
    }

    private static func part(of text: String, between start: String, and end: String) -> String? {
        guard let open = text.firstRange(of: start),
            let close = text[open.upperBound...].firstRange(of: end)
        else { return nil }
        return String(text[open.upperBound..<close.lowerBound])
    }
}
