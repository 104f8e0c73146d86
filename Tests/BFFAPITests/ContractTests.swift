import HTTPCore
import JSON
import JourneyClient
import TestSupport
import Testing
import YAML

@testable import BFFAPI

@Suite("The contract")
struct ContractTests {
    private func contract() throws -> ContractFile { try ContractFile.shared.get() }

    @Test("has the operations of the routes, no more and no fewer")
    func operations() throws {
        let operations = try contract().operations
        var expected: [String: String] = [:]
        for route in Route.all(under: "/bff") {
            expected[route.operation.rawValue] = "\(route.method.rawValue) \(route.template)"
        }
        #expect(expected.count == Operation.allCases.count)
        for operation in AdminOperation.allCases { expected[operation.rawValue] = "GET \(operation.path)" }
        #expect(operations.mapValues { "\($0.method) \($0.path)" } == expected)
    }

    @Test("names the parameters of every path and the header field")
    func parameters() throws {
        let contract = try contract()
        for (id, operation) in contract.operations {
            let all = (operation.pathItem["parameters"]?.array ?? []) + (operation.value["parameters"]?.array ?? [])
            let names = all.compactMap { contract.resolved($0)?["name"]?.string }
            #expect(names.contains("X-CSRF") == operation.path.hasPrefix("/bff/"), "\(id)")
            for name in ["instance", "flow"] {
                #expect(names.contains(name) == operation.path.contains("{\(name)}"), "\(id)")
            }
        }
    }

    @Test(
        "knows the members that bodies may have",
        arguments: [
            (
                "StartRequest",
                [
                    "journey", "forceAuth", "noSession", "acrValues", "prompt", "loginHint", "uiLocales", "parameters",
                    "replace", "for",
                ]
            ),
            ("NextRequest", ["flow", "step", "values", "action"]), ("LogoutRequest", ["session"]),
        ])
    func bodies(_ schema: String, _ members: [String]) throws {
        let names = try contract().schema.resolve("#/components/schemas/\(schema)")?["properties"]?.object?.names
        #expect(names.map { Set($0) } == Set(members))
    }

    @Test("is what the server serves")
    func served() async throws {
        let contract = try contract()
        #expect(ContractText.yaml == contract.text, "run make openapi")
        let answer = await (try APIFixture()).browser.call(.get, "/openapi.yaml")
        #expect(answer.text == contract.text)
        #expect(answer.header("content-type") == "application/yaml")
    }

    @Test("is served with the base path and the header field of the settings")
    func adapted() async throws {
        let fixture = try APIFixture {
            $0.basePath = "/auth"
            $0.csrfHeader = "X-App"
            $0.csrfValue = "it's"
        }
        let answer = await fixture.browser.call(.get, "/openapi.yaml")
        #expect(!answer.text.contains("/bff") && !answer.text.contains("X-CSRF"))
        let document = try ContractFile.value(try #require(try YAMLNode(parsing: Array(answer.text.utf8))))
        #expect(document["paths"]?.object?.names.count { $0.hasPrefix("/auth/") } == 9)
        #expect(document["components"]?["parameters"]?["csrf"]?["name"] == "X-App")
        #expect(document["components"]?["parameters"]?["csrf"]?["schema"]?["const"] == "it's")
    }

    @Test("has examples that fit its schemas")
    func examples() throws {
        let contract = try contract()
        var count = 0
        func check(_ value: JSONValue) {
            if let schema = value["schema"], let examples = value["examples"]?.object {
                for (name, example) in examples {
                    count += 1
                    let faults = example["value"].map { contract.schema.faults(in: $0, schema) }
                    #expect(faults == [], "\(name)")
                }
            }
            for (_, member) in value.object ?? [:] { check(member) }
        }
        check(contract.document)
        #expect(count >= 14)
    }

    @Test("has no reference that leads nowhere, and no part that nothing refers to")
    func references() throws {
        let contract = try contract()
        var used: Set<String> = []
        func collect(_ value: JSONValue) {
            if let reference = value["$ref"]?.string { used.insert(reference) }
            for (_, member) in value.object ?? [:] { collect(member) }
            for element in value.array ?? [] { collect(element) }
        }
        collect(contract.document)
        var defined: Set<String> = []
        for (section, parts) in contract.document["components"]?.object ?? [:] where section != "securitySchemes" {
            for name in parts.object?.names ?? [] { defined.insert("#/components/\(section)/\(name)") }
        }
        #expect(used == defined)
    }

    @Test("has a schema for every callback type of the journey client", arguments: CallbackCatalogue.standard.wireTypes)
    func schemas(_ type: String) throws {
        let contract = try contract()
        #expect(
            contract.schema.resolve("#/components/schemas/\(type)")?["properties"]?["type"]?["const"]?.string == type)
        let known = contract.schema.resolve("#/components/schemas/Callback")?["anyOf"]?.array ?? []
        #expect(known.contains(["$ref": .string("#/components/schemas/\(type)")]))
        let others = contract.schema.resolve("#/components/schemas/UnsupportedCallback")
        #expect(others?["properties"]?["type"]?["not"]?["enum"]?.array?.contains(.string(type)) == true)
    }

    /// A step with one callback of each form.
    static let callbacks: [JSONValue] = [
        callback("NameCallback", ["prompt": "User Name"], ["IDToken1": ""]),
        callback("PasswordCallback", ["prompt": "Password"], ["IDToken1": ""]),
        callback("TextInputCallback", ["prompt": "Colour", "defaultText": "blue"], ["IDToken1": ""]),
        callback("TextInputCallback", ["prompt": "Colour"], ["IDToken1": ""]),
        callback("TextOutputCallback", ["message": "Hello", "messageType": "1"], [:]),
        callback("ChoiceCallback", ["prompt": "Which", "choices": ["a", "b"], "defaultChoice": 1], ["IDToken1": 0]),
        callback(
            "ConfirmationCallback",
            ["prompt": "", "messageType": 0, "options": ["Yes", "No"], "optionType": -1, "defaultOption": 1],
            ["IDToken1": 100]),
        callback(
            "ConfirmationCallback",
            ["prompt": "", "messageType": 0, "options": [], "optionType": 2, "defaultOption": 2], ["IDToken1": 100]),
        callback("HiddenValueCallback", ["id": "x", "value": ""], ["IDToken1": "x"]),
        callback(
            "ValidatedCreateUsernameCallback",
            [
                "policies": ["policyRequirements": ["REQUIRED"]],
                "failedPolicies": [#"{"policyRequirement":"MIN_LENGTH","params":{"minLength":3}}"#],
                "validateOnly": false, "prompt": "User Name",
            ], ["IDToken1": "", "IDToken1validateOnly": false]),
        callback(
            "ValidatedCreatePasswordCallback", ["echoOn": false, "failedPolicies": [], "prompt": "Password"],
            ["IDToken1": ""]),
        callback("KbaCreateCallback", ["prompt": "Question"], ["IDToken1question": "", "IDToken1answer": ""]),
        callback("", [:], [:]),
    ]

    private static func callback(_ type: String, _ out: JSONObject, _ input: JSONObject) -> JSONValue {
        func list(_ object: JSONObject) -> JSONValue {
            .array(object.map { ["name": .string($0.name), "value": $0.value] })
        }
        return ["type": .string(type), "output": list(out), "input": list(input)]
    }

    @Test("fits what the journey client shows of a callback", arguments: callbacks.indices)
    func shown(_ index: Int) throws {
        let page = try JourneyPage(["authId": "x", "callbacks": [Self.callbacks[index]]])
        let shown = try #require(page.document["callbacks"]?[0])
        #expect(try contract().schema.faults(in: shown, ["$ref": "#/components/schemas/Callback"]) == [])
    }
}
