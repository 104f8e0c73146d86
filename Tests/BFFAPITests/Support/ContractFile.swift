import Foundation
import JSON
import TestSupport
import Testing
import YAML

/// `openapi/openapi.yaml` as the tests read it.
struct ContractFile: Sendable {
    /// The root of the repository, with a slash at its end.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path(percentEncoded: false)
    static let shared = Result { try ContractFile() }

    let text: String
    let document: JSONValue
    let schema: JSONSchema
    /// The operations by their id.
    let operations: [String: Operation]

    struct Operation: Sendable {
        let method: String
        let path: String
        let value: JSONValue
        let pathItem: JSONValue
    }

    init() throws {
        text = try String(contentsOfFile: Self.root + "openapi/openapi.yaml", encoding: .utf8)
        document = try Self.value(try #require(try YAMLNode(parsing: Array(text.utf8))))
        schema = JSONSchema(document)
        var operations: [String: Operation] = [:]
        for (path, item) in document["paths"]?.object ?? [:] {
            for (method, value) in item.object ?? [:] {
                guard let id = value["operationId"]?.string else { continue }
                operations[id] = Operation(method: method.uppercased(), path: path, value: value, pathItem: item)
            }
        }
        self.operations = operations
    }

    /// The statuses that the server itself may answer a call to an API with.
    var statusesOfRoutes: Set<Int> {
        Set((document["paths"]?["/api/{path}"]?["get"]?["responses"]?.object?.names ?? []).compactMap { Int($0) })
    }

    /// A member, or what it refers to.
    func resolved(_ value: JSONValue?) -> JSONValue? {
        guard let reference = value?["$ref"]?.string else { return value }
        return schema.resolve(reference)
    }

    /// What the contract says to an answer of an operation.
    func faults(_ answer: Answered, of operationID: String) -> [String] {
        guard let operation = operations[operationID] else { return ["\(operationID): not in the contract"] }
        let responses = operation.value["responses"]
        let named = responses?["\(answer.status)"]
        // Only what any request may meet goes without saying.
        guard let response = resolved(named ?? (Self.unnamed.contains(answer.status) ? responses?["default"] : nil))
        else { return ["\(operationID): \(answer.status) is not in the contract"] }
        guard let contents = response["content"]?.object else {
            return answer.body.isEmpty ? [] : ["\(operationID): \(answer.status) has a body"]
        }
        guard let type = answer.headers["content-type"]?.first, let content = contents[type] else {
            return ["\(operationID): the media type of \(answer.status) is not in the contract"]
        }
        let faults = answer.json.map { schema.faults(in: $0, content["schema"] ?? true) } ?? []
        let missing = (response["headers"]?.object?.names ?? []).filter {
            !Self.optional.contains($0) && answer.headers[$0.lowercased()] == nil
        }
        return faults + missing.map { "\(operationID): \(answer.status) without \($0)" }
    }

    private static let unnamed: Set = [408, 414, 431, 500, 504]
    /// Fields that come only where there is something to say.
    private static let optional: Set = [
        "Retry-After", "Allow", "X-Auth-Subject", "X-Auth-Scope", "X-Auth-Acr", "X-Auth-Level",
    ]

    static func value(_ node: YAMLNode) throws -> JSONValue {
        switch node.content {
        case .mapping(let pairs):
            var object = JSONObject()
            for pair in pairs {
                object[try #require(pair.key.scalar?.text)] = try Self.value(pair.value)
            }
            return .object(object)
        case .sequence(let nodes): return .array(try nodes.map { try Self.value($0) })
        case .scalar(let scalar):
            if scalar.isNull { return .null }
            if let int = scalar.int { return JSONValue(Int64(int)) }
            if let bool = scalar.bool { return .bool(bool) }
            return .string(scalar.text)
        }
    }
}
