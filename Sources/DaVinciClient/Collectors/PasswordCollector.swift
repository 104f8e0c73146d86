internal import Basics
internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `PASSWORD` and `PASSWORD_VERIFY`: a secret, held against a policy where there is one, and asked for twice where the form
    /// says so.
    static let password = CollectorKind(name: "PasswordCollector") { field in
        let input = PasswordInput(field)
        return CollectorContent(.singleValue, .password(input)) { field in
            var members = field.labelled
            members["verify"] = .bool(input.isRepeated)
            if let policy = input.policy { members["passwordPolicy"] = .object(policy.document) }
            return members
        }
    }
}

/// A password, or `{value, confirm}`.
struct PasswordInput: Sendable {
    let isRepeated: Bool
    let policy: PasswordPolicy?

    init(_ field: CollectorField) {
        isRepeated = field.flag("verify")
        let own = PasswordPolicy(field.json["passwordPolicy"])
        // The policy of the page is that of the password that is set, not of the one that is checked.
        policy = own ?? (isRepeated || field.type == "PASSWORD_VERIFY" ? field.pagePolicy : nil)
    }

    func schema(_ label: String) -> JSONObject {
        let isNew = isRepeated || policy != nil
        var schema = AnswerSchema.secret(label, autofill: isNew ? .newPassword : .currentPassword)
        guard isRepeated else { return schema }
        // Either of both; what is said of one type does not bind the other.
        let part = JSONValue.object(AnswerSchema.secret(label, autofill: .newPassword))
        for (name, value) in AnswerSchema.object(["value": part, "confirm": part], required: ["value", "confirm"]) {
            schema[name] = value
        }
        schema["type"] = ["object", "string"]
        return schema
    }

    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        guard isRepeated, answer.object != nil else { return AnswerCheck.text(answer) }
        return AnswerCheck.object(answer, ["value": { AnswerCheck.text($0) }, "confirm": { AnswerCheck.text($0) }])
    }

    /// What is wrong with a password that is there.
    func faults(of answer: JSONValue?) -> [AnswerRefusal] {
        let password = (answer?["value"] ?? answer)?.string ?? ""
        var faults = password.isEmpty ? [] : policy?.faults(of: password) ?? []
        if let repeated = answer?["confirm"]?.string, !repeated.isSameText(as: password) {
            faults.append(AnswerRefusal(.mismatch, "the repetition is another one"))
        }
        return faults
    }
}
