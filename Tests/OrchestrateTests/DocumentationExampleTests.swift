import HTTPCore
import Orchestrate
import TestSupport
import Testing

/// The configuration of the first example of the Orchestrate documentation.
///
/// What differs from there: a handler gets its request `inout` and returns nothing, and building a workflow can fail.
private struct CustomHeaderExampleConfig: Sendable {
    var enable = true
    var value = "iPlanetDirectoryPro"
}

private let customHeader = Module.of(
    { CustomHeaderExampleConfig() },
    setup: { setup in
        setup.next { context, node, request in
            if setup.config.enable {
                request.header(name: setup.config.value, value: "next")
            }
        }
        setup.start { context, request in
            if setup.config.enable {
                request.header(name: setup.config.value, value: "start")
            }
        }
    })

private let nosession = Module.of { setup in
    setup.next { context, node, request in
        request.parameter(name: "noSession", value: "true")
    }
}

private let forceAuth = Module.of { setup in
    setup.start { context, request in
        request.parameter(name: "ForceAuth", value: "true")
    }
}

@Suite("The examples of the documentation")
struct DocumentationExampleTests {
    private func run(enable: Bool) async throws -> [ClientRequest] {
        let transport = ScriptedTransport.answering(#"{"page":1}"#, #"{"token":"t"}"#)
        let workflow = try Workflow.createWorkflow { config in
            config.timeout = .seconds(10)
            config.transport = transport
            config.module(product)
            config.module(customHeader, priority: 5) { header in
                header.enable = enable
                header.value = "x-example"
            }
            config.module(forceAuth)
            config.module(nosession)
        }
        let bound = workflow.bound(to: caller())
        let first = try await bound.start()
        _ = try await bound.next(first.flow)
        return transport.requests
    }

    @Test func `set a header while it is enabled`() async throws {
        let requests = try await run(enable: true)
        #expect(requests.map { $0.header("x-example") } == ["start", "next"])
    }

    @Test func `set no header while it is disabled`() async throws {
        let requests = try await run(enable: false)
        #expect(requests.map { $0.header("x-example") } == [nil, nil])
    }

    @Test func `ask for a fresh login at start and for no session afterwards`() async throws {
        let requests = try await run(enable: false)
        #expect(requests.map(\.url.query) == ["ForceAuth=true", "intercepted=one&intercepted=two&noSession=true"])
    }
}
