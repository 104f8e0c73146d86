import BFF
import BFFAPI
import HTTPServer

/// One process of the server: use cases with their API in front, its own way to store and provider, its own clock.
///
/// Sendable invariant: one thread, as of `World`.
final class Machine: @unchecked Sendable {
    let process: Process
    private(set) var backend: Backend?
    private(set) var api: BrowserAPI?
    private(set) var authz: AuthzAPI?
    /// The API of the admin listener; nil where nobody ends sign-ins by it.
    private(set) var admin: AdminAPI?
    /// True once it was told to stop: it takes no request any more.
    var isDraining: Bool { drainedAt != nil }
    /// When it was told to stop; nil for a machine that was not.
    var drainedAt: Duration?
    private let world: World
    /// Whether calls of the store may take seconds.
    private let storeIsSlow: Bool
    private var underWay: [String: Once<Answer>] = [:]
    /// Requests that the store failed: what became of their commits is known in this memory alone.
    private var unsure: Set<String> = []

    init(_ process: Process, _ world: World, storeIsSlow: Bool) {
        self.process = process
        self.storeIsSlow = storeIsSlow
        self.world = world
    }

    var number: Int { process.machine }
    var isCrashed: Bool { process.isCrashed }
    /// True while it has a request that is not answered.
    var hasWork: Bool { !underWay.isEmpty }

    /// Gives it what it runs; new settings take the place of those before.
    func run(_ backend: Backend, _ api: BrowserAPI, _ authz: AuthzAPI?, admin: AdminAPI?) {
        self.authz = authz
        self.admin = admin
        self.backend = backend
        self.api = api
    }

    /// It goes away with all that is in its memory; who waits for an answer finds the connection broken.
    func crash() {
        process.crash(during: unsure.union(underWay.keys))
        for (_, answer) in underWay.sorted(by: { $0.key < $1.key }) { answer.set(.nothing) }
        underWay = [:]
    }

    /// Has a request answered as the listener would: at its deadline at the latest, when the handler is given up.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: Its `X-Request-Id`.
    ///   - patience: How long the listener waits.
    ///   - isAdmin: Whether it comes to the admin listener.
    /// - Returns: What comes, and the task of the handler.
    func answer(
        _ request: ServerRequest, id: String, patience: Duration, isAdmin: Bool = false
    ) -> (answer: Once<Answer>, task: Task<Void, Never>) {
        world.record.count(.check, "a request with a deadline")
        let answer = Once<Answer>()
        underWay[id] = answer
        let task = Task.detached { [self] in
            let response = Response(await handle(request, isAdmin: isAdmin))
            underWay[id] = nil
            if response.problem == "store-unavailable" { unsure.insert(id) }
            answer.set(isCrashed ? .nothing : .response(response))
        }
        world.after(patience) { [self] in
            guard answer.value == nil, !isCrashed, !world.isEnding else { return }
            // A store that takes seconds for each call explains it: then the listener's answer is the right one.
            if storeIsSlow {
                world.record.count(.fault, "the listener answers at the deadline, because the store is slow")
            } else {
                world.fail(.late, "m\(number) has no answer to \(id) at its deadline")
            }
            task.cancel()
            answer.set(.response(Response(status: 504)))
        }
        world.after(patience + .seconds(15)) { [self] in
            guard underWay[id] != nil, !isCrashed, !world.isEnding else { return }
            world.fail(.hang, "m\(number) still works on \(id) 15 s after its deadline")
        }
        return (answer, task)
    }

    private func handle(_ request: ServerRequest, isAdmin: Bool) async -> ServerResponse {
        if isAdmin { return await admin?.handle(request) ?? ServerResponse(status: 503) }
        guard let api else { return ServerResponse(status: 503) }
        if request.body.contentLength == 0, let response = api.answerAtOnce(request) { return response }
        return await api.handle(request)
    }
}
