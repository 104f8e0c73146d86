internal import Basics
package import JSON
public import Orchestrate

/// PingOne's report about one refused value.
public struct ErrorDetail: Sendable, Equatable {
    /// The attribute of the user that the value is for.
    public let target: String
    /// The error code, such as `INVALID_VALUE` or `UNIQUENESS_VIOLATION`: for a program, never for a user.
    public let code: String
    /// A sentence for the user.
    public let message: String
    /// The requirements that a password does not meet, each with its sentence.
    public let requirements: [(name: String, message: String)]

    /// Compares all members.
    public static func == (left: ErrorDetail, right: ErrorDetail) -> Bool {
        left.target == right.target && left.code == right.code && left.message == right.message
            && left.requirements.elementsEqual(right.requirements) { $0 == $1 }
    }

    private static let longest = 1024
    // rule: details of a refusal are 32 at most | Int.max
    private static let most = 32

    /// The details of a refusal, from PingOne's own checks that name an attribute; other details are ignored.
    static func all(in body: JSONValue) -> [ErrorDetail] {
        let raw = (body["details"]?.array ?? []).compactMap { $0["rawResponse"] }
        let entries = raw.filter { $0["code"] == "INVALID_DATA" }.flatMap { $0["details"]?.array ?? [] }
        return entries.prefix(most).compactMap { entry in
            // rule: a detail names its attribute
            guard let target = entry["target"]?.string, !target.isEmpty else { return nil }
            return ErrorDetail(
                target: target.shortened(to: 128), code: entry["code"]?.string ?? "",
                message: (entry["message"]?.string ?? "").trimmed.shortened(to: longest),
                requirements: requirements(entry["innerError"] ?? entry["innererror"]))
        }
    }

    /// The requirements by name, each once; the number of remaining tries is left out.
    private static func requirements(_ inner: JSONValue?) -> [(name: String, message: String)] {
        var found: [(name: String, message: String)] = []
        for name in (inner?["unsatisfiedRequirements"]?.array ?? []).compactMap(\.string)
        where found.count < most && !found.contains(where: { $0.name == name }) {
            let message = inner?[name]?.string ?? ""
            found.append((name.shortened(to: 64), message.trimmed.shortened(to: longest)))
        }
        return found
    }
}

extension ErrorNode {
    /// The details for single values of the page that PingOne refused.
    public var errorDetails: [ErrorDetail] { ErrorDetail.all(in: input) }

    /// The details for a browser, as `id`, `target`, `message` and `requirements`; `id` is the question for the
    /// attribute, if the page has one.
    package var shownErrorDetails: [JSONValue] {
        let collectors = page?.collectors ?? []
        return errorDetails.map { detail in
            var shown = JSONObject()
            let keyed = collectors.filter { $0.takesAnswer }
            let question =
                keyed.first { $0.field.key?.isSameText(as: detail.target) ?? false }
                ?? keyed.first { $0.field.key?.split(byte: ".").last?.isSameText(as: detail.target) ?? false }
            if let question { shown["id"] = .string(question.id) }
            shown["target"] = .string(detail.target)
            shown["message"] = .string(detail.message)
            if !detail.requirements.isEmpty {
                shown["requirements"] = .array(
                    detail.requirements.map { ["name": .string($0.name), "message": .string($0.message)] })
            }
            return .object(shown)
        }
    }
}
