internal import JSON

extension FailedPolicy {
    /// The requirement as an English sentence, for pages without texts of their own; names the key if it is unknown.
    public var message: String { Self.plain[requirement] ?? counted ?? "The requirement \(requirement) is not met." }

    /// The sentences for requirements without parameters.
    private static let plain = [
        "REQUIRED": "A value is required.",
        "UNIQUE": "The value is taken already.",
        "VALID_TYPE": "The value is of the wrong type.",
        "VALID_USERNAME": "The value is no valid user name.",
        "VALID_EMAIL_ADDRESS_FORMAT": "The value is no valid e-mail address.",
        "VALID_NAME_FORMAT": "The value is no valid name.",
        "VALID_PHONE_FORMAT": "The value is no valid phone number.",
        "VALID_DATE": "The value is no valid date.",
        "VALID_NUMBER": "The value is no valid number.",
        "VALID_INT": "The value is no whole number.",
        "VALID_BOOLEAN": "The value is neither true nor false.",
        "VALID_ARRAY_ITEMS": "The value has an item that is not valid.",
        "VALID_QUERY_FILTER": "The value is no valid filter.",
        "IS_NUMBER": "The value is no number.",
        "IS_NUMBER_GREATER_ZERO": "The value has to be a number greater than zero.",
        "MINIMUM_NUMBER_VALUE": "The number is too small.",
        "MAXIMUM_NUMBER_VALUE": "The number is too large.",
        "CANNOT_CONTAIN_DUPLICATES": "The value is contained more than once.",
        "CANNOT_CONTAIN_OTHERS": "The value must not contain the values of other fields.",
        "MATCH_REGEXP": "The value does not have the form that is asked for.",
        "IS_NEW": "The value was used before.",
        "MUST_CONTAIN_LOWERCASE_CHARACTERS": "The value needs a lower-case letter.",
        "MUST_CONTAIN_SPECIAL_CHARACTERS": "The value needs a special character.",
    ]

    /// The sentence for a requirement with a parameter; nil for other requirements, and if the parameter is missing.
    private var counted: String? {
        switch requirement {
        case "MIN_LENGTH": sentence("The value needs", "minLength", "characters or more.")
        case "MAX_LENGTH": sentence("The value must not have more than", "maxLength", "characters.")
        case "LENGTH_BASED": between("min-password-length", "max-password-length")
        case "AT_LEAST_X_CAPITAL_LETTERS": sentence("The value needs", "numCaps", "capital letters or more.")
        case "AT_LEAST_X_NUMBERS": sentence("The value needs", "numNums", "digits or more.")
        case "MIN_ITEMS": sentence("The value needs", "minItems", "items or more.")
        case "CANNOT_CONTAIN_CHARACTERS" where !forbidden.isEmpty: "The value must not contain: \(forbidden)"
        default: nil
        }
    }

    private func sentence(_ beginning: String, _ name: String, _ end: String) -> String? {
        number(name).map { "\(beginning) \($0) \(end)" }
    }

    private func between(_ least: String, _ most: String) -> String? {
        guard let low = number(least), let high = number(most) else {
            return sentence("The value needs", least, "characters or more.")
                ?? sentence("The value must not have more than", most, "characters.")
        }
        return "The value needs from \(low) to \(high) characters."
    }

    /// A parameter that is a number, or a text that contains a whole number.
    private func number(_ name: String) -> String? {
        params[name]?.number?.lexeme ?? params[name]?.string.flatMap { Int64($0) }.map { String($0) }
    }

    /// The forbidden characters, from a list or a single text.
    private var forbidden: String {
        let value = params["forbiddenChars"]
        return value?.string ?? (value?.array ?? []).compactMap(\.string).joined(separator: " ")
    }
}
