import JSON
import TestSupport

extension ContractFile {
    /// The statuses that the server itself may answer a call to an API with.
    var statusesOfRoutes: Set<Int> {
        Set((document["paths"]?["/api/{path}"]?["get"]?["responses"]?.object?.names ?? []).compactMap { Int($0) })
    }

    /// What the contract says to an answer of an operation.
    func faults(_ answer: Answered, of operationID: String) -> [String] {
        guard let operation = operations[operationID] else { return ["\(operationID): not in the contract"] }
        let responses = operation.value["responses"]
        let named = responses?["\(answer.status)"]
        // Only what any request may meet goes without saying.
        guard let response = resolved(named ?? (Self.unnamed.contains(answer.status) ? responses?["default"] : nil))
        else { return ["\(operationID): \(answer.status) is not in the contract"] }
        let more = unlisted(answer, response).map { "\(operationID): \(answer.status) has \($0), which is not listed" }
        guard let contents = response["content"]?.object else {
            return more + (answer.body.isEmpty ? [] : ["\(operationID): \(answer.status) has a body"])
        }
        guard let type = answer.headers["content-type"]?.first, let content = contents[type] else {
            return ["\(operationID): the media type of \(answer.status) is not in the contract"]
        }
        let faults = answer.json.map { schema.faults(in: $0, content["schema"] ?? true) } ?? []
        let missing = (response["headers"]?.object?.names ?? []).filter {
            !Self.optional.contains($0) && answer.headers[$0.lowercased()] == nil
        }
        return more + faults + missing.map { "\(operationID): \(answer.status) without \($0)" }
    }

    /// The header fields and the problem type of an answer that its response does not list.
    private func unlisted(_ answer: Answered, _ response: JSONValue) -> [String] {
        let listed = (response["headers"]?.object?.names ?? []).map { $0.lowercased() }
        let fields = Self.telling.filter { !listed.contains($0) && answer.headers[$0] != nil }
        let description = response["description"]?.string ?? ""
        guard let type = answer.problem, !Self.unnamed.contains(answer.status), !description.contains("`\(type)`")
        else { return fields }
        return fields + [type]
    }

    /// Fields that say what a client has to do, or what it may not overlook.
    private static let telling = [
        "set-cookie", "retry-after", "location", "allow", "www-authenticate", "secure-session-challenge",
        "secure-session-registration",
    ]
    private static let unnamed: Set = [408, 414, 431, 500, 504]
    /// Fields that come only where there is something to say.
    private static let optional: Set = [
        "Retry-After", "Allow", "Set-Cookie", "Secure-Session-Challenge", "Secure-Session-Registration",
    ]
}
