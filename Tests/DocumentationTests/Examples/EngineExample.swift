import Basics
import HTTPCore
import JSON
import Orchestrate

/// Sends a header while it is switched on.
struct TracingConfig: Sendable {
    var enable = true
    var value = "1"
}

let tracing = Module.of({ TracingConfig() }) { setup in
    setup.start { context, request in
        if setup.config.enable { request.header(name: "x-trace", value: setup.config.value) }
    }
    setup.next { context, page, request in
        if setup.config.enable { request.header(name: "x-trace", value: setup.config.value) }
    }
}

extension FlowKey where Value == Int {
    /// How many pages of the flow were answered.
    static var answered: FlowKey { FlowKey("example.answered") }
}

let counting = Module.of { setup in
    setup.next { context, page, request in
        context.flow[.answered] = (context.flow[.answered] ?? 0) + 1
    }
}

/// The product: where requests go, and what answers mean.
let pages = Module.of { setup in
    setup.start { context, request in
        request.url("https://idp.example.com/flow")
    }
    setup.answer { page, answers in
        var request = Request()
        request.url("https://idp.example.com/flow")
        request.body(["page": page.input["page"] ?? nil, "code": answers.values["code"] ?? nil])
        return request
    }
    setup.transform { context, response in
        let body = try response.json()
        guard body["page"] != nil else { return .success(SuccessNode(input: .object(body))) }
        return .continue(ContinueNode(input: .object(body)))
    }
}

func makeWorkflow(_ transport: any HTTPTransport) throws -> Workflow {
    try Workflow.createWorkflow { config in
        config.transport = transport
        config.module(pages)
        config.module(tracing, priority: 5) { tracing in
            tracing.value = "42"
        }
        config.module(counting)
    }
}

func runFlow(_ workflow: Workflow) async throws -> FlowStep {
    let bound = workflow.bound(to: Caller(deadline: .now + .seconds(30)))
    let first = try await bound.start()
    // Seal it, store it, let any process go on: a flow is a value.
    let stored = first.flow.encoded
    return try await bound.next(FlowState(decoding: stored), Answers(["code": "424242"]))
}
