public import JSON

/// The demands of a policy before it allows an access: the reason for a step-up (docs/protocol.md, 'Policy advice').
public struct PolicyAdvice: Sendable, Equatable {
    /// One demand with its values, such as `TransactionConditionAdvice`.
    package struct Attribute: Sendable, Equatable {
        /// The name of the demand.
        package let name: String
        /// The values, at least one.
        package let values: [String]
    }

    /// The demands, in the order of the gateway.
    package let attributes: [Attribute]

    /// Makes an advice with one demand.
    public init(name: String, value: String) {
        attributes = [Attribute(name: name, values: [value])]
    }

    /// Reads JSON like `{"TransactionConditionAdvice":["id"]}`; nil for other JSON and for no demands.
    public init?(_ json: JSONValue) {
        guard let object = json.object else { return nil }
        var attributes: [Attribute] = []
        for (name, value) in object {
            guard let list = value.array, !list.isEmpty else { return nil }
            let values = list.compactMap(\.string)
            guard values.count == list.count else { return nil }
            attributes.append(Attribute(name: name, values: values))
        }
        guard !attributes.isEmpty else { return nil }
        self.attributes = attributes
    }

    /// The advice as XML: the `authIndexValue` for `authIndexType=composite_advice`.
    package var xml: String {
        let pairs = attributes.map { attribute in
            let values = attribute.values.map { "<Value>\(Self.escaped($0))</Value>" }.joined()
            return
                "<AttributeValuePair><Attribute name=\"\(Self.escaped(attribute.name))\"/>\(values)</AttributeValuePair>"
        }
        return "<Advices>\(pairs.joined())</Advices>"
    }

    private static func escaped(_ text: String) -> String {
        var out = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&apos;"
            default: out.unicodeScalars.append(character)
            }
        }
        return out
    }
}
