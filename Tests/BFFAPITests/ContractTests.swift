import BFF
import Foundation
import HTTPCore
import JSON
import JourneyClient
import JourneyProduct
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The contract")
struct ContractTests {
    private func contract() throws -> ContractFile { try ContractFile.browsers.get() }

    @Test("has the operations of the routes, no more and no fewer")
    func operations() throws {
        let operations = try contract().operations
        var expected: [String: String] = [:]
        for route in Route.all(under: "/bff") {
            expected[route.operation.rawValue] = "\(route.method.rawValue) \(route.template)"
        }
        #expect(expected.count == Operation.allCases.count)
        #expect(operations.mapValues { "\($0.method) \($0.path)" } == expected)
    }

    @Test("of the admin listener has its operations, no more and no fewer")
    func adminOperations() throws {
        let operations = try ContractFile.admin.get().operations
        let expected = AdminOperation.allCases.map { ($0.rawValue, "\($0.method.rawValue) \($0.path)") }
        #expect(
            operations.mapValues { "\($0.method) \($0.path)" } == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test("of the admin listener says of what is in both what the other says")
    func adminSchemas() throws {
        let (admin, browsers) = (try ContractFile.admin.get(), try contract())
        for name in ["TokenDemand", "MethodDemand"] {
            let reference = ContractFile.reference(name)
            #expect(admin.schema.resolve(reference) == browsers.schema.resolve(reference))
        }
        let problem = ContractFile.reference("Problem")
        for (name, member) in admin.schema.resolve(problem)?["properties"]?.object ?? [:] where name != "type" {
            #expect(browsers.schema.resolve(problem)?["properties"]?[name] == member, "\(name)")
        }
        for (name, header) in admin.document["components"]?["headers"]?.object ?? [:]
        where !name.hasPrefix("X-Auth-") && name != "WWW-Authenticate" {
            #expect(browsers.document["components"]?["headers"]?[name] == header, "\(name)")
        }
    }

    @Test("names the parameters of every path and the header field")
    func parameters() throws {
        let contract = try contract()
        for (id, operation) in contract.operations {
            let all = (operation.pathItem["parameters"]?.array ?? []) + (operation.value["parameters"]?.array ?? [])
            let names = all.compactMap { contract.resolved($0)?["name"]?.string }
            let called = Operation(rawValue: id)
            let isExempt = called.map { $0.isNavigation || $0.isServerCall || $0.isBrowserCall } ?? false
            #expect(names.contains("X-CSRF") == (operation.path.hasPrefix("/bff/") && !isExempt), "\(id)")
            for name in ["instance", "flow", "handle", "client", "session"] {
                #expect(names.contains(name) == operation.path.contains("{\(name)}"), "\(id)")
            }
        }
    }

    @Test(
        "knows the members that bodies may have, no more and no fewer",
        arguments: [
            ("StartRequest", JourneyStart.members.start + StartRequest.members), ("NextRequest", NextRequest.members),
            ("ResumeRequest", ResumeBody.members(JourneyStart.members)),
            ("LogoutRequest", LogoutBody.members),
        ])
    func bodies(_ schema: String, _ members: [String]) throws {
        let names = try contract().schema.resolve("#/components/schemas/\(schema)")?["properties"]?.object?.names
        #expect(names?.sorted() == members.sorted())
    }

    @Test("is one document, put together from all files, that the server serves as it is")
    func served() async throws {
        let text = ContractText.yaml
        #expect(try ContractFile.value(parsing: Array(text.utf8)) == contract().document, "run make openapi")
        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
        let answer = await (try APIFixture()).browser.call(.get, "/openapi.yaml")
        #expect(answer.text == text)
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
        let document = try ContractFile.value(parsing: answer.body)
        #expect(document["paths"]?.object?.names.count { $0.hasPrefix("/auth/") } == 18)
        #expect(document["components"]?["parameters"]?["csrf"]?["name"] == "X-App")
        #expect(document["components"]?["parameters"]?["csrf"]?["schema"]?["const"] == "it's")
    }

    @Test("has examples that fit its schemas, of requests as well")
    func examples() throws {
        var count = 0
        func check(_ value: JSONValue, _ contract: ContractFile) {
            if let schema = value["schema"], let examples = value["examples"]?.object {
                for (name, example) in examples {
                    count += 1
                    let faults = example["value"].map { contract.schema.faults(in: $0, schema) }
                    #expect(faults == [], "\(name)")
                }
            }
            for (_, member) in value.object ?? [:] { check(member, contract) }
        }
        for contract in try [contract(), ContractFile.admin.get()] { check(contract.document, contract) }
        #expect(count >= 38)
    }

    @Test("has no reference that leads nowhere, and no part that nothing refers to")
    func references() throws {
        for contract in try [contract(), ContractFile.admin.get()] {
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
    }

    /// What CONTRIBUTING.md says that a callback type needs: a line in the catalogue and a schema, and nothing else.
    ///
    /// The tests of `JourneyClient` see to it that each has tests and fits its schema, those of `DaVinciClient` that each
    /// collector has one.
    @Test("has a schema in a file of its own for every callback type of the journey client, and for no other")
    func callbacks() throws {
        let contract = try contract()
        let types = (CallbackCatalogue.standard.wireTypes + [UnsupportedCallback.wireType]).sorted()
        #expect(contract.choices["Callback"] == types)
        #expect(contract.choices.count == 2)
        for type in types + (contract.choices["Collector"] ?? []) {
            let schema = contract.schema.resolve(ContractFile.reference(type))
            #expect(schema?["properties"]?["type"] == ["type": "string", "const": .string(type)])
            // The discriminator and the reference are written from the name of the file, and by nobody.
            let own = try String(contentsOfFile: ContractFile.root + "openapi/openapi.yaml", encoding: .utf8)
            #expect(!own.contains("schemas/\(type)"))
        }
    }
}
