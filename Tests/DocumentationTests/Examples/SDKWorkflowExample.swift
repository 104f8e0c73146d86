import HTTPCore
import JSON
import Orchestrate

struct AppHeaderConfig: Sendable {
    var enable = true
    var headerName = "x-app"
    var headerValue = "unknown"
}

/// Names the application on every request.
let appHeader = Module.of(
    { AppHeaderConfig() },
    setup: { setup in
        let config = setup.config
        setup.start { context, request in
            if config.enable { request.header(name: config.headerName, value: config.headerValue) }
        }
        setup.next { context, page, request in
            if config.enable { request.header(name: config.headerName, value: config.headerValue) }
        }
    })

/// Asks for all steps although somebody is signed in.
let forceAuth = Module.of { setup in
    setup.start { context, request in
        request.parameter(name: "ForceAuth", value: "true")
    }
}

/// Asks for no session at the end.
let noSession = Module.of { setup in
    setup.next { context, page, request in
        request.parameter(name: "noSession", value: "true")
    }
}

extension SharedKey where Value == String {
    /// What is known for as long as the workflow: no user's.
    static var region: SharedKey { SharedKey("example.region") }
}

extension FlowKey where Value == String {
    /// What is known for as long as one flow.
    static var trail: FlowKey { FlowKey("example.trail") }
}

/// A handler in every state.
let watching = Module.of { setup in
    setup.initialize { context in context.shared[.region] = "eu" }
    setup.start { context, request in context.flow[.trail] = "start in \(context.shared[.region] ?? "")" }
    setup.response { context, response in context.flow[.trail]? += ", \(response.status)" }
    setup.node { context, node in context.flow[.trail]? += ", node" }
    setup.next { context, page, request in context.flow[.trail]? += ", next" }
    setup.success { context, success in context.flow[.trail]? += ", success" }
    setup.signOff { context, request in request.url("https://idp.example.com/end") }
}

/// Where requests go, and what answers mean.
let shop = Module.of { setup in
    setup.start { context, request in request.url("https://idp.example.com/flow") }
    setup.answer { page, answers in
        var request = Request()
        request.url("https://idp.example.com/flow")
        request.body(["page": page.input["page"] ?? nil, "code": answers.values["code"] ?? nil])
        return request
    }
    setup.transform { context, response in
        let body = JSONValue.object(try response.json())
        return body["page"] == nil ? .success(SuccessNode(input: body)) : .continue(ContinueNode(input: body))
    }
}

func makeShopWorkflow(_ transport: any HTTPTransport) throws -> Workflow {
    try Workflow.createWorkflow { config in
        config.transport = transport
        config.module(shop)
        config.module(forceAuth)
        config.module(noSession)
        config.module(watching)
        config.module(appHeader) { header in
            header.headerName = "x-shop"
            header.headerValue = "web-2"
        }
    }
}

/// From the first page to the end of the session.
func walk(_ workflow: Workflow) async throws -> String? {
    let bound = workflow.bound()
    var step = try await bound.start()
    if case .continue = step.node { step = try await bound.next(step.flow, Answers(["code": "424242"])) }
    guard case .success = step.node, case .success = await bound.signOff() else { return nil }
    return step.flow.context[.trail]
}
