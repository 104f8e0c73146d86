package import JSON

/// The JSON Schema of an answer, with all that a page needs to draw the question from it alone.
///
/// Besides the keywords of JSON Schema 2020-12 there are two extensions: `autocomplete`, an autofill word of the HTML
/// standard, and `hidden`, for an answer that a program fills in and the user never sees.
package enum AnswerSchema {
    /// The autofill words of the HTML standard, which tell a browser how to fill in a field.
    package enum Autofill: String {
        case username
        case currentPassword = "current-password"
        case newPassword = "new-password"
        case oneTimeCode = "one-time-code"
        case email
        case phone = "tel"
        case webauthn
    }

    /// One of several answers.
    package struct Choice: Sendable {
        package let value: JSONValue
        let title: String

        /// Makes an option of an answer value and the title shown for it.
        package init(value: JSONValue, title: String) {
            self.value = value
            self.title = title
        }

        /// The option as schema; built without a dictionary literal, which would double the cost, since pages have many
        /// options.
        fileprivate var schema: JSONValue {
            var schema = JSONObject()
            schema.reserveCapacity(2)
            schema["const"] = value
            schema["title"] = .string(title)
            return .object(schema)
        }
    }

    /// The schema of a text; an empty title and an empty default are left out.
    package static func text(
        _ title: String, default value: String = "", limit: Int = AnswerCheck.longestText, autofill: Autofill? = nil
    ) -> JSONObject {
        var schema = titled("string", title)
        if !value.isEmpty { schema["default"] = .string(value) }
        schema["maxLength"] = .number(JSONNumber(Int64(limit)))
        if let autofill { schema["autocomplete"] = .string(autofill.rawValue) }
        return schema
    }

    /// The schema of a text that is never shown, such as a password.
    package static func secret(
        _ title: String, limit: Int = AnswerCheck.longestText, autofill: Autofill? = nil
    ) -> JSONObject {
        var schema = text(title, limit: limit)
        schema["writeOnly"] = true
        if let autofill { schema["autocomplete"] = .string(autofill.rawValue) }
        return schema
    }

    /// The schema of a number, whole or not.
    package static func number(_ title: String, default value: JSONValue?) -> JSONObject {
        var schema = titled("number", title)
        schema["default"] = value
        return schema
    }

    /// The schema of a true or false answer.
    package static func boolean(_ title: String, default value: Bool) -> JSONObject {
        var schema = titled("boolean", title)
        schema["default"] = .bool(value)
        return schema
    }

    /// The schema of one of several options; without options, no answer is valid.
    package static func choice(
        _ title: String, type: String, _ choices: [Choice], default value: JSONValue? = nil
    ) -> JSONObject {
        var schema = titled(type, title)
        if choices.isEmpty {
            schema["enum"] = []
        } else {
            schema["oneOf"] = .array(choices.map(\.schema))
        }
        schema["default"] = value
        return schema
    }

    /// The schema of an object with exactly these members.
    package static func object(_ members: JSONObject, required: [String]) -> JSONObject {
        [
            "type": "object", "properties": .object(members), "required": .array(required.map { .string($0) }),
            "additionalProperties": false,
        ]
    }

    /// Marks a schema as `hidden`: a program fills in the answer, and no page draws it.
    package static func hidden(_ schema: JSONObject) -> JSONObject {
        var schema = schema
        schema["hidden"] = true
        return schema
    }

    private static func titled(_ type: String, _ title: String) -> JSONObject {
        var schema = JSONObject()
        schema["type"] = .string(type)
        if !title.isEmpty { schema["title"] = .string(title) }
        return schema
    }
}
