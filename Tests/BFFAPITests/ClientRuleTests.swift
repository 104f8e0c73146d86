import JSON
import TestSupport
import Testing

@testable import BFFAPI

/// What generators of clients need of the contract; the numbers are those of the list that they were found with.
@Suite("For generated clients, each document of the contract")
struct ClientRuleTests {
    static let both = ["openapi.yaml", "admin.yaml"]

    private func contract(_ name: String) throws -> ContractFile {
        try (name == "admin.yaml" ? ContractFile.admin : ContractFile.browsers).get()
    }

    /// Every object of a document, with the way to it.
    private func objects(_ value: JSONValue, _ path: String = "#") -> [(path: String, value: JSONObject)] {
        switch value {
        case .object(let object):
            [(path, object)] + object.flatMap { objects($0.value, "\(path)/\($0.name)") }
        case .array(let elements):
            elements.enumerated().flatMap { objects($0.element, "\(path)/\($0.offset)") }
        default: []
        }
    }

    /// Every schema of a document; examples are none, whatever they look like.
    private func schemas(_ contract: ContractFile) -> [(path: String, value: JSONObject)] {
        objects(contract.document).filter { path, value in
            guard !path.contains("/examples/") else { return false }
            let keywords = ["type", "oneOf", "anyOf", "const", "enum", "properties", "items", "x-extensible-enum"]
            let isOfNames = path.hasSuffix("/properties") || path.hasSuffix("/mapping") || path.hasSuffix("/schemas")
            return !isOfNames && !path.contains("/securitySchemes/") && keywords.contains { value[$0] != nil }
        }
    }

    private func names(_ contract: ContractFile, _ section: String) -> [String] {
        contract.document["components"]?[section]?.object?.names ?? []
    }

    /// The schemas that answers consist of, by name.
    private func answered(_ contract: ContractFile) -> Set<String> {
        var reached: Set<String> = []
        func follow(_ value: JSONValue) {
            for (_, object) in objects(value) {
                guard let reference = object["$ref"]?.string, let target = contract.schema.resolve(reference) else {
                    continue
                }
                if reached.insert(reference).inserted { follow(target) }
            }
        }
        for (_, item) in contract.document["paths"]?.object ?? [:] {
            for (_, operation) in item.object ?? [:] { follow(operation["responses"] ?? .null) }
        }
        let prefix = ContractFile.reference("")
        return Set(reached.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) })
    }

    @Test("chooses between schemas by a constant alone (1)", arguments: both)
    func choices(_ name: String) throws {
        let contract = try contract(name)
        let choices = schemas(contract).filter { $0.value["discriminator"] != nil }
        #expect(choices.count == (name == "openapi.yaml" ? 3 : 0))
        for (path, choice) in choices {
            #expect(Set(choice.names).subtracting(["description"]) == ["oneOf", "discriminator"], "\(path)")
            let mapping = choice["discriminator"]?["mapping"]?.object ?? [:]
            let members = choice["oneOf"]?.array ?? []
            #expect(members == mapping.map { ["$ref": $0.value] })
            for (value, reference) in mapping {
                let member = contract.schema.resolve(reference.string ?? "")
                let property = choice["discriminator"]?["propertyName"]?.string ?? ""
                #expect(member?["properties"]?[property]?["const"]?.string == value, "\(value)")
                #expect(member?["required"]?.array?.contains(.string(property)) == true, "\(value)")
            }
        }
    }

    @Test("has the provider's name of a callback that the server does not know beside the type (1)")
    func unsupported() throws {
        let schema = try contract("openapi.yaml").schema.resolve(ContractFile.reference("UnsupportedCallback"))
        #expect(schema?["properties"]?["providerType"]?["type"] == "string")
        #expect(schema?["required"]?.array?.contains("providerType") == true)
    }

    @Test("says the type of each constant and list of values, and has no constant truth value (2)", arguments: both)
    func constants(_ name: String) throws {
        for (path, schema) in schemas(try contract(name)) {
            guard let values = schema["enum"]?.array ?? schema["const"].map({ [$0] }) else { continue }
            #expect(["string", "integer"].contains(schema["type"]?.string), "\(path)")
            #expect(!values.contains { $0.bool != nil }, "\(path)")
        }
    }

    @Test("names no parameter like a schema (3)", arguments: both)
    func parameters(_ name: String) throws {
        let contract = try contract(name)
        let schemas = Set(names(contract, "schemas").map { $0.lowercased() })
        let parameters = objects(contract.document).compactMap {
            $0.value["in"] == nil ? nil : $0.value["name"]?.string
        }
        #expect(!parameters.isEmpty)
        for parameter in parameters + names(contract, "parameters") {
            #expect(!schemas.contains(parameter.lowercased()), "\(parameter)")
        }
    }

    @Test("names no schema like the request of an operation (4)", arguments: both)
    func requests(_ name: String) throws {
        let contract = try contract(name)
        let schemas = Set(names(contract, "schemas").map { $0.lowercased() })
        for id in contract.operations.keys { #expect(!schemas.contains("\(id)request".lowercased()), "\(id)") }
    }

    @Test("says of free objects that they are free (5)", arguments: both)
    func freeObjects(_ name: String) throws {
        for (path, schema) in schemas(try contract(name))
        where schema["type"] == "object" && schema["properties"] == nil {
            #expect(schema["additionalProperties"] != nil, "\(path)")
        }
    }

    @Test("has the free objects that it is known to have (5)")
    func freeMembers() throws {
        var free: Set<String> = []
        for (path, schema) in schemas(try contract("openapi.yaml")) where schema["additionalProperties"] == true {
            free.insert(path.split(separator: "/").last.map(String.init) ?? "")
        }
        #expect(
            free == [
                "values", "claims", "answer", "outputs", "raw", "params", "items", "data", "publicKey", "webSDKOptions",
                "signalsInitializationOptions", "detail",
            ])
    }

    @Test("has no default (6)", arguments: both)
    func defaults(_ name: String) throws {
        for (path, schema) in schemas(try contract(name)) { #expect(schema["default"] == nil, "\(path)") }
    }

    @Test("leaves answers open (7)", arguments: both)
    func open(_ name: String) throws {
        let contract = try contract(name)
        let answered = answered(contract)
        #expect(answered.count >= 4)
        for schema in answered {
            for (path, part) in objects(contract.schema.resolve(ContractFile.reference(schema)) ?? .null) {
                #expect(part["additionalProperties"] != false, "\(schema) \(path)")
            }
        }
    }

    @Test("leaves lists open that will grow (7)")
    func lists() throws {
        let contract = try contract("openapi.yaml")
        // Each type of a question answers for its own.
        let types = Set(contract.choices.values.joined())
        let schemas = self.schemas(contract).filter { path, _ in
            !path.split(separator: "/").contains { types.contains(String($0)) }
        }
        let lists = schemas.filter { $0.value["x-extensible-enum"] != nil }
        for (path, list) in lists { #expect(list["type"] == "string" && list["enum"] == nil, "\(path)") }
        let prefix = "#/components/schemas/"
        #expect(
            lists.map { String($0.path.dropFirst(prefix.count)) } == [
                "Kind", "FailureNode/properties/reason", "CollectorCategory", "TextSegment/properties/target",
                "Problem/properties/error", "Problem/properties/reason", "ProblemType", "ProblemField/properties/code",
            ])
        // What is left has to be bound to what cannot grow.
        let closed = schemas.filter { $0.value["enum"] != nil && $0.path.hasPrefix(prefix) }
        #expect(
            closed.map { String($0.path.dropFirst(prefix.count)) } == ["InstanceStatus/properties/state"])
    }

    @Test("says what arrays consist of (8)", arguments: both)
    func arrays(_ name: String) throws {
        for (path, schema) in schemas(try contract(name)) where schema["type"] == "array" {
            #expect(schema["items"]?.object?.isEmpty == false, "\(path)")
        }
    }

    @Test("is of one server (9)", arguments: both)
    func servers(_ name: String) throws {
        let contract = try contract(name)
        #expect(objects(contract.document).filter { $0.value["servers"] != nil }.map(\.path) == ["#"])
        let admin = Set(AdminOperation.allCases.map(\.path))
        let paths = Set(contract.document["paths"]?.object?.names ?? [])
        #expect(name == "admin.yaml" ? paths == admin : paths.isDisjoint(with: admin))
    }

    @Test("says which callbacks have no answer (10)")
    func answers() throws {
        let contract = try contract("openapi.yaml")
        let union = contract.schema.resolve(ContractFile.reference("Callback"))
        #expect(
            union?["description"]?.string?.contains("has `answer`, the JSON Schema of its answer; one without") == true)
        for name in contract.choices["Callback"] ?? [] {
            let schema = contract.schema.resolve(ContractFile.reference(name))
            let required = schema?["required"]?.array ?? []
            #expect(required.starts(with: ["id", "type"]), "\(name)")
            // One that takes none in some cases says so too, and has `answer` in the others.
            let saysNone = schema?["description"]?.string?.contains("takes no answer") == true
            #expect(saysNone || schema?["properties"]?["answer"] != nil, "\(name)")
            #expect(required.contains("answer") == !saysNone, "\(name)")
        }
    }

    /// A collector without a name has no answer whatever its type, so that none of them promises one.
    @Test("says which collectors have no answer (10)")
    func collectorAnswers() throws {
        let contract = try contract("openapi.yaml")
        for name in contract.choices["Collector"] ?? [] {
            let schema = contract.schema.resolve(ContractFile.reference(name))
            let required = schema?["required"]?.array ?? []
            #expect(required.starts(with: ["id", "type", "category"]) && !required.contains("answer"), "\(name)")
            let saysNone = schema?["description"]?.string?.contains("takes no answer") == true
            #expect(saysNone == (schema?["properties"]?["answer"] == nil), "\(name)")
        }
    }

    /// Names that a language, or the library of a generated client, has for something else.
    private static let owned: Set = [
        "Any", "Array", "Boolean", "Callable", "Class", "Date", "Dict", "Enum", "Error", "Event", "Exception", "Field",
        "File", "Function", "List", "Map", "Module", "Node", "Null", "Number", "Object", "Optional", "Package",
        "Promise",
        "Record", "Request", "Required", "Response", "Result", "Self", "Set", "String", "Symbol", "Type", "Union",
    ]

    @Test("has no schema whose name a language owns, and no object without a name (11)", arguments: both)
    func names(_ name: String) throws {
        let contract = try contract(name)
        let schemas = names(contract, "schemas")
        #expect(Self.owned.isDisjoint(with: schemas))
        for (path, schema) in self.schemas(contract) where schema["properties"] != nil {
            #expect(schemas.contains { path == "#/components/schemas/\($0)" }, "\(path)")
        }
    }

    @Test("has an example of every answer (12)", arguments: both)
    func examples(_ name: String) throws {
        let contract = try contract(name)
        let contents = objects(contract.document).filter { path, value in
            value["schema"] != nil && path.contains("/responses/") && path.contains("/content/")
        }
        #expect(contents.count >= 5)
        for (path, content) in contents {
            let examples = content["examples"]?.object ?? [:]
            #expect(!examples.isEmpty, "\(path)")
            for (name, example) in examples { #expect(example["value"] != nil, "\(path) \(name)") }
        }
    }

    @Test("asks for the header field as a parameter that is a text")
    func header() throws {
        let contract = try contract("openapi.yaml")
        let parameter = contract.document["components"]?["parameters"]?["csrf"]
        #expect(parameter?["in"] == "header" && parameter?["schema"]?["type"] == "string")
        #expect(names(contract, "securitySchemes") == ["cookie", "startCookie"])
    }
}
