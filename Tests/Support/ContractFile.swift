import Foundation
public import JSON
import Testing
import YAML

/// A document of the folder `openapi` as the tests read it.
public struct ContractFile: Sendable {
    /// The root of the repository, with a slash at its end.
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path(percentEncoded: false)
    /// What browsers are told: `openapi.yaml` with the schemas of the folders beside it.
    public static let browsers = Result { try ContractFile("openapi.yaml", isInParts: true) }
    /// What gateways and orchestrators are told.
    public static let admin = Result { try ContractFile("admin.yaml", isInParts: false) }

    /// The document, put together.
    public let document: JSONValue
    /// Its schemas, as strict as the server has to be: it sends nothing that they do not name.
    public let schema: JSONSchema
    /// The operations by their id.
    public let operations: [String: Operation]
    /// By the schema that chooses one of them, the names of those that lie in files of their own.
    public let choices: [String: [String]]

    /// One operation.
    public struct Operation: Sendable {
        /// In upper case.
        public let method: String
        /// As the document has it.
        public let path: String
        /// The operation.
        public let value: JSONValue
        /// The path that it is of.
        public let pathItem: JSONValue
    }

    private init(_ name: String, isInParts: Bool) throws {
        let folder = Self.root + "openapi/"
        var document = try Self.read(folder + name)
        choices = isInParts ? try Self.files(folder) : [:]
        for (choice, names) in choices { try Self.join(names, folder, into: choice, of: &document) }
        self.document = document
        schema = JSONSchema(document, isClosed: true)
        var operations: [String: Operation] = [:]
        for (path, item) in document["paths"]?.object ?? [:] {
            for (method, value) in item.object ?? [:] {
                guard let id = value["operationId"]?.string else { continue }
                operations[id] = Operation(method: method.uppercased(), path: path, value: value, pathItem: item)
            }
        }
        self.operations = operations
    }

    /// The names of the files in the folders: what lies in `callbacks` is a `Callback`.
    private static func files(_ folder: String) throws -> [String: [String]] {
        var files: [String: [String]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
            let parts = path.split(separator: "/").map(String.init)
            guard parts.count == 2, parts[1].hasSuffix(".yaml") else { continue }
            files[String(parts[0].dropLast()).capitalized, default: []].append(String(parts[1].dropLast(5)))
        }
        return files
    }

    /// Does in another way what `scripts/contract` does.
    private static func join(
        _ names: [String], _ folder: String, into choice: String, of document: inout JSONValue
    ) throws {
        var root = try #require(document.object)
        var components = try #require(root["components"]?.object)
        var schemas = try #require(components["schemas"]?.object)
        var union = try #require(schemas[choice]?.object, "there is no schema \(choice)")
        var mapping = JSONObject()
        for name in names {
            schemas[name] = try read("\(folder)\(choice.lowercased())s/\(name).yaml")
            mapping[name] = .string(reference(name))
        }
        union["oneOf"] = .array(names.map { ["$ref": .string(reference($0))] })
        union["discriminator"] = ["propertyName": "type", "mapping": .object(mapping)]
        schemas[choice] = .object(union)
        components["schemas"] = .object(schemas)
        root["components"] = .object(components)
        document = .object(root)
    }

    /// How a schema of the document is named in it.
    public static func reference(_ schema: String) -> String { "#/components/schemas/\(schema)" }

    /// A member, or what it refers to.
    public func resolved(_ value: JSONValue?) -> JSONValue? {
        guard let reference = value?["$ref"]?.string else { return value }
        return schema.resolve(reference)
    }

    /// What a schema of the document says to a value.
    public func faults(in value: JSONValue, as schema: String) -> [String] {
        self.schema.faults(in: value, ["$ref": .string(Self.reference(schema))])
    }

    private static func read(_ path: String) throws -> JSONValue {
        try value(parsing: Array(Data(contentsOf: URL(filePath: path))))
    }

    /// A document of YAML as the JSON that it stands for.
    public static func value(parsing bytes: [UInt8]) throws -> JSONValue {
        try value(try #require(try YAMLNode(parsing: bytes)))
    }

    private static func value(_ node: YAMLNode) throws -> JSONValue {
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

extension ContractFile {
    /// One example of an answer.
    public struct Example: Sendable {
        /// Where it stands, `Node/page` for instance: the response or the operation, and its name.
        public let name: String
        /// What it shows.
        public let value: JSONValue
        /// The schema of the answer.
        public let schema: JSONValue
        /// Of the answer.
        public let mediaType: String
    }

    /// The examples of every answer, in the order of the document.
    public var examples: [Example] {
        var examples: [Example] = []
        func add(_ response: JSONValue, _ name: String) {
            for (mediaType, content) in response["content"]?.object ?? [:] {
                for (example, value) in content["examples"]?.object ?? [:] {
                    examples.append(
                        Example(
                            name: "\(name)/\(example)", value: value["value"] ?? .null,
                            schema: content["schema"] ?? true, mediaType: mediaType))
                }
            }
        }
        for (_, item) in document["paths"]?.object ?? [:] {
            for (_, operation) in item.object ?? [:] {
                for (_, response) in operation["responses"]?.object ?? [:] {
                    add(response, operation["operationId"]?.string ?? "")
                }
            }
        }
        for (name, response) in document["components"]?["responses"]?.object ?? [:] { add(response, name) }
        return examples
    }

    /// The names of the examples that only the composed server with a provider gives.
    public var composedExamples: Set<String> {
        let names: Set = [
            "getSession/signedOut", "getSession/signedIn", "FlowNode/page", "FlowNode/failure", "FlowNode/wait",
            "FlowNode/form",
            "FlowNode/refused",
            "FlowNode/success", "User/demo", "NotRevoked/pending", "Conflict/staleStep",
            "Unprocessable/unknownQuestion",
            "BearerRefused/noToken", "NotFound/unknownRequirement", "streamEvents/state",
        ]
        return names.intersection(examples.map(\.name))
    }

    /// In what an answer differs from an example: in its members, the types and number of values, and every text.
    ///
    /// Ids and counts of seconds are other ones each time; a number has to be the same only where it is a status or a step.
    ///
    /// - Parameters:
    ///   - answer: What the server sent.
    ///   - example: What the document shows.
    ///   - path: Where both stand, for the differences.
    /// - Returns: One line each; empty when the example is what the server sends.
    public static func differences(_ answer: JSONValue, _ example: JSONValue, at path: String = "$") -> [String] {
        switch (answer, example) {
        case (.object(let answer), .object(let example)):
            guard answer.names == example.names else { return ["\(path): \(answer.names), not \(example.names)"] }
            return answer.names.flatMap { name in
                differences(answer[name] ?? .null, example[name] ?? .null, at: "\(path).\(name)")
            }
        case (.array(let answer), .array(let example)):
            guard answer.count == example.count else { return ["\(path): \(answer.count) elements"] }
            return answer.indices.flatMap { differences(answer[$0], example[$0], at: "\(path)[\($0)]") }
        case (.string(let answer), .string(let example)):
            let isSame = answer == example || form(answer).map { $0 == form(example) } == true
            return isSame ? [] : ["\(path): '\(answer)', not '\(example)'"]
        case (.number(let answer), .number(let example)):
            let isFixed = path.hasSuffix(".status") || path.hasSuffix(".step")
            return !isFixed || answer == example ? [] : ["\(path): \(answer.lexeme), not \(example.lexeme)"]
        default: return answer == example ? [] : ["\(path): \(answer.text), not \(example.text)"]
        }
    }

    /// What kind of id a text is; nil for one that is none.
    private static func form(_ text: String) -> String? {
        if text.hasPrefix("f_"), text.utf8.count == 24 { return "flow" }
        let isWord = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        if text.utf8.count == 22, isWord { return "session" }
        let parts = text.split(separator: "-")
        let isRequest =
            parts.count == 2 && parts[0].count == 16 && parts[1].count == 12
            && parts.allSatisfy { $0.allSatisfy(\.isHexDigit) }
        return isRequest ? "request" : nil
    }
}
