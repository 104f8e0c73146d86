internal import Basics
internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `PASSWORD` and `PASSWORD_VERIFY`: a secret, checked against a policy if there is one, and entered twice if the
    /// form says so.
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
        // The page's policy is for a new password, not for one that is verified.
        policy = own ?? (isRepeated || field.type == "PASSWORD_VERIFY" ? field.pagePolicy : nil)
    }

    func schema(_ label: String) -> JSONObject {
        let isNew = isRepeated || policy != nil
        var schema = AnswerSchema.secret(label, autofill: isNew ? .newPassword : .currentPassword)
        guard isRepeated else { return schema }
        // Either form is accepted; the rules for one type do not bind the other.
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

    /// The reasons to refuse an entered password.
    func refusals(of answer: JSONValue?) -> [AnswerRefusal] {
        let password = (answer?["value"] ?? answer)?.string ?? ""
        var refusals = password.isEmpty ? [] : policy?.refusals(of: password) ?? []
        if let repeated = answer?["confirm"]?.string, !repeated.isSameText(as: password) {
            refusals.append(AnswerRefusal(.mismatch, "the repetition is another one"))
        }
        return refusals
    }
}
