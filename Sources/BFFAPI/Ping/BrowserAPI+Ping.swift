internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import PingCompatibility

extension BrowserAPI {
    /// The header fields that Ping's clients for JavaScript send besides those of every call.
    private static let pingFields = [
        "Accept-API-Version", "Authorization", "X-Requested-With", "X-Requested-Platform", "interactionId",
        "interactionToken",
    ]

    /// Answers a call that speaks a protocol of Ping's clients for JavaScript.
    ///
    /// The rules for callers, the rates and the use cases are those of the REST API.
    ///
    /// - Parameter call: The call, before any check; gets the template of its path as its route.
    /// - Returns: nil for any other call, and for a client that the settings do not list.
    /// - Throws: Why the call is refused, in the form of the protocol.
    func speakPing(_ call: inout IncomingCall) async throws(Problem) -> OperationAnswer? {
        guard !settings.pingClients.isEmpty, let ping = try pingCall(call) else { return nil }
        let isOfInstance = ping.route.operation != .challenge
        call.route = settings.basePath + (isOfInstance ? "/{instance}" : "") + ping.route.template
        let request = call.request
        let (operation, methods) = (ping.route.operation, ping.route.operation.methods)
        guard methods.contains(request.method) || request.method == .head && operation == .metadata else {
            return try answerOtherMethod(request, methods, more: Self.pingFields)
        }
        do throws(Problem) {
            return try await perform(ping)
        } catch {
            var problem = error
            if problem.form == .document { problem.form = operation.form }
            throw problem
        }
    }

    /// The call of a path that the settings give to Ping's protocols; nil for any other path.
    private func pingCall(_ call: IncomingCall) throws(Problem) -> PingCall? {
        guard let path = try? RequestPath(call.request.path) else { return nil }
        let count = settings.basePath.utf8.count { $0 == UInt8(ascii: "/") }
        let rest = path.segments.dropFirst(count)
        var segment = rest.first ?? ""
        var route = PingRoute.match(rest.dropFirst())
        if let challenge = PingRoute.challenge(rest) {
            route = challenge
            segment = StepHandle.challenge(challenge.handle ?? "")?.instance ?? ""
        }
        guard let route else { return nil }
        let instance = AccountName.instance(segment)
        let client = segment.split(byte: ":", maxSplits: 1, omittingEmptySubsequences: false)[0]
        // rule: Ping's protocols are spoken only for clients of the settings
        guard settings.pingClients.contains(where: { client.isSameText(as: $0) }),
            let flows = try? backend.flows(of: instance),
            // rule: a protocol is spoken for clients of its product
            flows.kind.rawValue.isSameText(as: route.product)
        else { return nil }
        // rule: a path names the realm of its client
        if let realm = route.realm, !flows.isRealm(realm) { return nil }
        let origin = settings.publicURL.origin
        let issuer = call.request.path.split(byte: "/", omittingEmptySubsequences: false).dropLast(route.depth)
        return PingCall(
            route: route, operation: OperationCall(incoming: call, operation: .startFlow, instance: instance, flow: ""),
            base: origin + settings.basePath + "/" + PercentEncoding.encode(segment),
            issuer: origin + issuer.joined(separator: "/"))
    }

    private func perform(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        var ping = ping
        let request = ping.operation.request
        switch ping.route.operation {
        case .metadata:
            // Ping's clients send no header field of an application with this request.
            try callerRules.checkOrigin(request)
            try callerRules.checkHost(request)
            let metadata: OwnMetadata =
                ping.route.isDaVinci ? .davinci(issuer: ping.issuer) : .journey(issuer: ping.issuer)
            return .answered(status: 200, metadata.document, .keep)
        case .authorize where request.method == .get:
            // A frame cannot send a header field; a page of this origin that shows one may learn what it learns.
            let isForScript = try query(ping).single("response_mode")?.isSameText(as: "pi.flow") ?? false
            ping.operation.cookies =
                isForScript ? try callerRules.admitScript(request) : try callerRules.admitFrame(request)
        default:
            ping.operation.cookies = try callerRules.admitScript(request)
        }
        let answer = try await run(ping)
        if let cookie = answer.newCookie { rates.carry(from: ping.operation.cookies, to: cookie) }
        return answer
    }

    private func run(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        switch ping.route.operation {
        case .metadata: return .empty([])
        case .authenticate: return try await authenticate(ping)
        case .endProviderSession: return try await endProviderSession(ping)
        case .authorize: return try await authorize(ping)
        case .next: return try await nextNode(ping)
        case .continue: return try await continueNode(ping)
        case .challenge: return try await challengeStatus(ping)
        case .exchange: return try await exchange(ping)
        case .userInfo: return try await userInfo(ping)
        case .revoke: return try await revokePlaceholder(ping)
        case .endSession: return try await endSession(ping)
        }
    }

    /// The query of a call.
    func query(_ ping: PingCall) throws(Problem) -> QueryParameters {
        guard let query = QueryParameters(parsing: ping.operation.request.query ?? "", limit: 32) else {
            throw Problem(.malformed, "The query cannot be read.")
        }
        return query
    }

    /// The fields of a form.
    func form(_ ping: PingCall) async throws(Problem) -> QueryParameters {
        let request = ping.operation.request
        guard let type = request.headers.single("content-type").flatMap({ MediaType(parsing: $0) }),
            type.essence.isSameText(as: "application/x-www-form-urlencoded"),
            request.headers.count("content-encoding") == 0
        else { throw Problem(.unsupportedMediaType, "The body must be a form.") }
        let body: [UInt8]
        do { body = try await request.body.collect(upTo: settings.bodyLimit) } catch { throw Problem(error) }
        guard let text = String(validating: body, as: UTF8.self), let form = QueryParameters(parsing: text, limit: 32)
        else { throw Problem(.malformed, "The form cannot be read.") }
        if let name = form.firstRepeatedName { throw Problem(.malformed, member: name, .repeated) }
        return form
    }
}
