internal import Basics
internal import JSON

/// The requests that the simulator received and the secrets that it issued, both bounded.
final class Journal: Sendable {
    private static let maxPaths = 1000
    /// The path under which requests count once `maxPaths` paths are known.
    private static let others = "/others"
    private static let maxRequests = 5000
    private static let maxSecrets = 10_000

    private struct State {
        var total = 0
        var paths: [String: Int] = [:]
        var requests: [ReceivedRequest] = []
        var secrets: [String] = []
        var refusals: [String: Int] = [:]
        var warnings: [String: Int] = [:]
    }

    private let state = Locked(State())

    /// Counts a request by its path; once a thousand paths are known, all others count as one.
    func count(_ path: Substring) {
        let path = Self.counted(path)
        state.withLock { state in
            state.total += 1
            let isKnown = state.paths[path] != nil || state.paths.count < Self.maxPaths
            state.paths[isKnown ? path : Self.others, default: 0] += 1
        }
    }

    /// The path under which a request is counted; the polls of all challenges have the same one.
    private static func counted(_ path: Substring) -> String {
        guard path.hasSuffix("/status"), let found = path.firstRange(of: "/challenge/") else { return String(path) }
        return String(path[..<found.upperBound]) + "{id}/status"
    }

    func keep(_ request: ReceivedRequest) {
        state.withLock { state in
            if state.requests.count >= Self.maxRequests { state.requests.removeFirst(Self.maxRequests / 10) }
            state.requests.append(request)
        }
    }

    /// Records a value that must never reach a browser, so that a test can look for it there.
    func note(secret: String) {
        state.withLock { state in
            if state.secrets.count >= Self.maxSecrets { state.secrets.removeFirst(Self.maxSecrets / 10) }
            state.secrets.append(secret)
        }
    }

    /// The number of requests whose paths end with a text, from a slash on.
    func received(_ path: String) -> Int {
        let wanted = path.hasPrefix("/") ? path : "/" + path
        return state.withLock { state in
            state.paths.reduce(0) { $1.key.hasSuffix(wanted) ? $0 + $1.value : $0 }
        }
    }

    /// Counts an invalid request for a flow, by the rule that it breaks.
    func refuse(_ rule: FlowRule) { state.withLock { $0.refusals[rule.rawValue, default: 0] += 1 } }

    /// Counts something that a client should not send but that is not refused.
    func warn(_ warning: RequestWarning) { state.withLock { $0.warnings[warning.rawValue, default: 0] += 1 } }

    var warnings: [String: Int] { state.withLock { $0.warnings } }
    var refusals: [String: Int] { state.withLock { $0.refusals } }
    var total: Int { state.withLock { $0.total } }
    var requests: [ReceivedRequest] { state.withLock { $0.requests } }
    var secrets: [String] { state.withLock { $0.secrets } }

    /// Resets counts, requests, refusals and warnings; the secrets are kept.
    func reset() {
        state.withLock { state in
            state.total = 0
            state.paths = [:]
            state.requests = []
            state.refusals = [:]
            state.warnings = [:]
        }
    }

    var json: JSONObject {
        let (total, paths, refusals, warnings) = state.withLock { ($0.total, $0.paths, $0.refusals, $0.warnings) }
        func sorted(_ counts: [String: Int]) -> JSONValue {
            .object(JSONObject(counts.sorted { $0.key < $1.key }.map { ($0.key, JSONValue(Int64($0.value))) }))
        }
        return [
            "total": JSONValue(Int64(total)), "paths": sorted(paths), "refusals": sorted(refusals),
            "warnings": sorted(warnings),
        ]
    }
}
