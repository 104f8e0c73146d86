import Basics
import HTTPCore
import JSON
import Logs
import Orchestrate
import TestSupport

let provider = "https://openam.example.com/step"

/// Counts by name, in the order of first use.
final class Tally: Sendable {
    private let state = Locked<[String]>([])

    func note(_ name: String) {
        state.withLock { $0.append(name) }
    }

    var all: [String] { state.withLock { $0 } }

    func count(_ name: String) -> Int {
        all.count { $0 == name }
    }
}

/// An error that no one translates.
struct Oops: Error, Equatable {
    var text = "oops"
}

/// A question whose secret is dropped on close.
final class SecretField: CloseableAction, RequestInterceptor {
    let id: String
    let tally: Tally

    init(_ id: String, _ tally: Tally) {
        self.id = id
        self.tally = tally
    }

    func close() { tally.note("close \(id)") }

    func intercept(_ context: inout StepContext, _ request: inout Request, answers: Answers) throws {
        tally.note("intercept \(id) body \(request.body.count > 0)")
        if answers.action == "refuse" { throw Oops() }
        request.parameter(name: "intercepted", value: id)
    }
}

/// A small product: `{"page": n}` is a page, `{"token": t}` the end, `{"refused": m}` an error.
let product = Module.of({ Tally() }, name: "product") { setup in
    let tally = setup.config
    setup.start { _, request in
        request.url(provider)
        request.body([:])
    }
    setup.transform { _, response in
        let body = try response.json()
        if body["page"] != nil { return .continue(page(.object(body), tally)) }
        if let message = body["refused"]?.string {
            return .error(ErrorNode(status: response.status, input: .object(body), message: message))
        }
        return .success(SuccessNode(input: .object(body), session: Token(body["token"]?.string ?? "")))
    }
    setup.restore { input in page(input, tally) }
    setup.answer { page, answers in
        var request = Request()
        request.url(provider)
        request.body(["page": page.input["page"] ?? nil, "answer": answers.values["a"] ?? nil])
        return request
    }
}

private func page(_ input: JSONValue, _ tally: Tally) -> ContinueNode {
    ContinueNode(input: input, actions: [SecretField("one", tally), SecretField("two", tally)])
}

struct Token: Session {
    let value: Secret<String>

    init(_ value: String) {
        self.value = Secret(value)
    }
}

func caller(_ storages: CallerStorages = CallerStorages(), within limit: Duration = .seconds(60)) -> Caller {
    Caller(deadline: .now + limit, requestID: "r1", storages: storages)
}

/// A workflow with the small product and whatever the test adds.
func makeWorkflow(
    _ transport: any HTTPTransport, tally: Tally = Tally(), time: any TimeSource = ManualTime(),
    _ more: (inout WorkflowConfig) -> Void = { _ in }
) throws -> Workflow {
    try Workflow.createWorkflow { config in
        config.transport = transport
        config.time = time
        config.module(product) { $0 = tally }
        more(&config)
    }
}

extension ScriptedTransport {
    /// Answers the provider's only address.
    static func answering(_ first: String...) -> ScriptedTransport {
        let transport = ScriptedTransport()
        let remaining = Locked(first)
        transport.on(.post, provider) { _ in
            .json(remaining.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
        }
        return transport
    }
}

extension FlowStep {
    var success: SuccessNode? {
        if case .success(let node) = node { node } else { nil }
    }
    var cause: EngineError? {
        if case .failure(let node) = node { node.cause } else { nil }
    }
    var page: ContinueNode? {
        if case .continue(let node) = node { node } else { nil }
    }
}

extension Request {
    func sent() throws -> ClientRequest { try clientRequest(now: Timestamp(seconds: 0)) }
}
