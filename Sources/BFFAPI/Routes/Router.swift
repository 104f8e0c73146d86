internal import Basics
internal import HTTPCore
internal import HTTPServer

/// Finds the operation of a request.
struct Router: Sendable {
    /// The result of a match.
    enum Match: Sendable {
        /// An operation, with the instance and the flow in the path; empty for paths without one.
        case operation(Route, instance: String, flow: String)
        /// The path has operations, but none with the method.
        case otherMethods([Route])
        /// The path has no operation, and a page of a listed origin sent a preflight for it.
        case unknown
    }

    private let routes: [Route]
    private let base: [UInt8]
    private let userEnd = Array("/user".utf8)
    private let sessionTarget: String
    private let passkeyPaths: [String]

    /// Makes the routes of a server, without the operations that its settings leave out.
    init(basePath: String, without absent: Set<Operation> = []) {
        routes = Route.all(under: basePath).filter { !absent.contains($0.operation) }
        passkeyPaths = routes.filter(\.operation.isPasskeyDocument).map(\.template)
        base = Array((basePath + "/").utf8)
        sessionTarget = basePath + "/session"
    }

    /// True for a `GET {base}/session` without a query; `match` decides every other request.
    func isPlainSession(_ request: ServerRequest) -> Bool {
        request.method == .get && request.target.isSameText(as: sessionTarget)
    }

    /// True for the path of a passkey document that the settings turn on.
    func isPasskeyDocument(_ request: ServerRequest) -> Bool {
        passkeyPaths.contains { request.path.isSameText(as: $0) }
    }

    /// The instance of a `GET {base}/{instance}/user` without a query, the most frequent request of browsers; found
    /// without splitting the path.
    ///
    /// - Returns: nil for any other request, which `match` then decides, and for an instance that needs decoding: one
    ///   with a character other than a letter, a digit, `_`, `-`, or one `:`. A second colon belongs to the account,
    ///   which the use cases get percent-encoded.
    func plainUser(_ request: ServerRequest) -> String? {
        guard request.method == .get else { return nil }
        var target = request.target
        return target.withUTF8 { target in
            guard target.count > base.count + userEnd.count else { return nil }
            let end = target.count - userEnd.count
            for (index, byte) in base.enumerated() where target[index] != byte { return nil }
            for (index, byte) in userEnd.enumerated() where target[end + index] != byte { return nil }
            let name = UnsafeBufferPointer(rebasing: target[base.count..<end])
            var hasAccount = false
            for byte in name where !byte.isWordByte {
                guard byte == UInt8(ascii: ":"), !hasAccount else { return nil }
                hasAccount = true
            }
            return String(decoding: name, as: UTF8.self)
        }
    }

    /// Finds the operation of a request.
    ///
    /// - Throws: `.malformed`, `.notFound`.
    func match(_ request: ServerRequest) throws(Problem) -> Match {
        let segments = try RequestPath(request.path).segments
        // A GET without the body is a GET (RFC 9110 section 9.3.2).
        let isHead = request.method == .head
        var others: [Route] = []
        for route in routes where Self.fits(route, segments) {
            guard route.method == (isHead && route.operation.takesHead ? .get : request.method) else {
                others.append(route)
                continue
            }
            return .operation(
                route, instance: AccountName.instance(Self.value(.instance, route, segments)),
                flow: Self.value(.flow, route, segments))
        }
        guard !others.isEmpty else { throw Problem(.notFound) }
        return .otherMethods(others)
    }

    /// True if the path has an operation, with any method.
    func knows(_ request: ServerRequest) -> Bool {
        do throws(Problem) {
            _ = try match(request)
            return true
        } catch {
            return false
        }
    }

    /// The methods of a path, for `Allow` and preflights.
    static func methods(_ routes: [Route]) -> [HTTPMethod] {
        routes.flatMap { $0.method == .get && $0.operation.takesHead ? [.get, .head] : [$0.method] }
    }

    private static func fits(_ route: Route, _ segments: [String]) -> Bool {
        guard route.parts.count == segments.count else { return false }
        for index in segments.indices {
            switch route.parts[index] {
            case .word(let word): if !word.isSameText(as: segments[index]) { return false }
            case .instance, .flow: if segments[index].isEmpty { return false }
            }
        }
        return true
    }

    private static func value(_ part: Route.Part, _ route: Route, _ segments: [String]) -> String {
        route.parts.firstIndex(of: part).map { segments[$0] } ?? ""
    }
}
