package import BFF
internal import Basics
package import JSON
package import JourneyClient
package import Logs
package import OpenIDConnect
package import Orchestrate
package import ResourceServer
internal import StorageKit

/// The flow client of AM journeys.
package final class JourneySignIn: FlowClient {
    private let journey: Journey
    private let journeys: [String]
    private let exposed: [String]
    private let takesTransactions: Bool
    private let authenticationAdvice: String?
    private let credentials: CredentialRules
    private let warnings: PageWarnings

    /// Makes a journey client.
    ///
    /// - Parameters:
    ///   - journey: Runs the journeys.
    ///   - openID: The OpenID client of the journeys' OIDC module.
    ///   - journeys: The journeys that a start may name; the first is the default.
    ///   - takesTransactions: Lets a start run a backchannel transaction.
    ///   - exposed: The members of a refusal's `detail` that browsers see.
    ///   - credentials: The rules for WebAuthn credentials; no credential is accepted by default.
    ///   - logger: Gets warnings about pages that no browser can answer.
    package init(
        _ journey: Journey, _ openID: OpenIDClient, journeys: [String], takesTransactions: Bool = false,
        exposed: [String] = [],
        credentials: CredentialRules = CredentialRules(origins: [], relyingParties: []), logger: Logger = .silent
    ) {
        self.journey = journey
        self.journeys = journeys
        self.takesTransactions = takesTransactions
        self.exposed = exposed
        self.credentials = credentials
        warnings = PageWarnings(logger, journey.workflow.services.time)
        authenticationAdvice = openID.settings.authenticationAdvice
    }

    /// `journey`.
    package var kind: ProductName { .journey }

    /// Refuses a journey that the configuration does not list, and members that only a provider's page could use.
    package func check(_ start: StartRequest) throws(BFFError) {
        let own = try JourneyStart(start.product)
        // rule: a transaction is run by a client that is set up for it
        if start.transaction != nil, !takesTransactions { throw .notAllowed(.transaction) }
        if let journey = own.journey, !journeys.contains(journey) { throw .notAllowed(.journey) }
        if let realm = own.realm, !journey.isRealm(realm) { throw .malformed(field: "uri") }
        if start.prompt != nil { throw .notAllowed(.prompt) }
        if start.loginHint != nil { throw .notAllowed(.loginHint) }
    }

    /// By the server, or by `forceAuth`.
    package func isForced(_ start: StartRequest) -> Bool {
        start.isForced || (try? JourneyStart(start.product))?.forceAuth ?? false
    }

    /// Query parameters that AM reads at the return endpoint.
    package var returnNames: Set<String> { Journey.returnNames }

    /// True if a text names the realm of the journeys, in any form that administrators write.
    package func isRealm(_ text: String) -> Bool { journey.isRealm(text) }

    /// The journey's name, which shows the operator a configured journey that AM does not know.
    package func facts(of start: StartRequest) -> [String: String] {
        // AM alone knows which journey a transaction runs.
        if start.transaction != nil { return [:] }
        return ((try? JourneyStart(start.product))?.journey ?? journeys.first).map { ["journey": $0] } ?? [:]
    }

    /// Compares the advice of AM's policies with the requirement and the client's default journey.
    package func follow(_ advices: JSONObject, for requirement: Requirement) -> FollowedAdvice? {
        guard let advised = AdvisedStrength(advices), advised.isDone(by: requirement, journey: journeys.first) else {
            return nil
        }
        return FollowedAdvice(transaction: advised.transaction)
    }

    /// Begins a journey.
    package func start(
        _ start: StartRequest, session: [UInt8]?, _ caller: Caller
    ) async throws(CancellationError) -> SignInOutcome {
        let own: JourneyStart
        do { own = try JourneyStart(start.product) } catch {
            return .failure(FlowFailure(reason: .badRequest), orphan: nil)
        }
        var options = StartOptions(
            forceAuth: start.isForced || own.forceAuth, noSession: own.noSession,
            unorderedParameters: start.parameters, acrValues: start.acrValues, languages: start.uiLocales)
        let storages = SignInStorages(.session, session: session)
        let bound = journey.bound(to: storages.given(to: caller))
        // A policy advice replaces the journey (docs/protocol.md, 'Policy advice').
        let advice = start.advice.flatMap { try? JSONValue(parsing: Array($0.utf8)) }.flatMap { PolicyAdvice($0) }
        if let advice { return outcome(of: try await bound.start(advice: advice, options), storages) }
        if let id = own.suspendedID {
            return outcome(of: try await bound.resume(suspendedID: id, options), storages)
        }
        options.transaction = start.transaction
        return outcome(of: try await bound.start(own.journey, options), storages, own.journey)
    }

    /// Reads a journey at its page.
    package func open(_ position: FlowPosition) throws(FlowPositionError) -> any OpenedFlow {
        JourneyFlow(try journey.workflow.open(position), of: self)
    }

    /// Judges the answers to a page.
    func judge(_ answers: PageAnswers, to flow: OpenFlow) -> JudgedAnswers {
        let credentials = credentials(on: JourneyPage(flow.page))
        let answers =
            answers.returned.map { Answers(unorderedReturned: $0) } ?? Answers(answers.values, action: answers.action)
        switch journey.workflow.judge(answers, to: flow, besides: { credentials.problems(in: answers, besides: $0) }) {
        case .right(let answered):
            return .right { [self] session, caller throws(CancellationError) in
                let storages = SignInStorages(.session, session: session)
                let step = try await journey.bound(to: storages.given(to: caller)).next(answered)
                return outcome(of: step, storages, after: flow.page)
            }
        case .wrong(let problems): return .wrong(problems)
        case .failed(let error):
            let cause = failure(of: error)
            return .right { _, _ in .notTaken(retryAfter: error.wait, cause: cause) }
        }
    }

    /// The rules for WebAuthn credentials at a page.
    func credentials(on page: JourneyPage) -> JourneyCredentials { JourneyCredentials(credentials, on: page) }

    /// Obtains tokens from the SSO session alone.
    package func authorize(session: inout [UInt8], _ caller: Caller) async throws(TokenError) -> SignIn {
        let user: JourneyUser?
        do {
            user = try await bound(to: session, caller).user()
        } catch {
            throw tokenError(error)
        }
        guard let user else { throw .sessionEnded }
        do {
            return SignIn(session: session, tokens: try await user.token(), sessionIsNew: false)
        } catch {
            throw tokenError(error)
        }
    }

    /// Ends the SSO session.
    package func endSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError) {
        let report = await bound(to: session, caller).signOff()
        switch report.session {
        case .nothing, .ended, .alreadyGone: return
        case .failed: throw .unavailable(retryAfter: .seconds(5))
        }
    }

    /// Restarts the idle timeout of the SSO session.
    package func keepSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError) {
        do {
            try await bound(to: session, caller).keepSession()
        } catch {
            throw tokenError(error)
        }
    }

    /// Asks AM again for the name of its session cookie.
    package func learnAgain(deadline: ContinuousClock.Instant) async { await journey.learnAgain(deadline: deadline) }

    /// True if both are the same session, whatever else is stored with them.
    package func isSame(session: [UInt8], _ other: [UInt8]) -> Bool { SSOSession.isSame(session, other) }

    /// The realm and the success URL of the session.
    package func sessionFacts(_ session: [UInt8]) -> JSONObject {
        let session = try? SSOSession(decoding: session)
        let url = session?.successURL ?? ""
        return ["realm": .string(session?.realm ?? ""), "successUrl": url.isOwnPath ? .string(url) : .null]
    }

    private func bound(to session: [UInt8], _ caller: Caller) -> BoundJourney {
        journey.bound(to: SignInStorages(.session, session: session).given(to: caller))
    }

    private func tokenError(_ error: OpenIDError) -> TokenError { TokenError(error, authenticationAdvice) }

    private func tokenError(_ error: JourneyTokenError) -> TokenError {
        if case .provider(let cause) = error { return tokenError(cause) }
        return TokenError(error)
    }

    private func outcome(
        of step: FlowStep, _ storages: SignInStorages<SSOSession>, _ name: String? = nil,
        after page: ContinueNode? = nil
    ) -> SignInOutcome {
        let orphan = (step.orphan as? SSOSession)?.encoded
        switch step.node {
        case .continue(let page):
            let flow = JourneyFlow(OpenFlow(state: step.flow, page: page), of: self)
            if let redirect = flow.journeyPage.redirect, !journey.allows(redirect) {
                return .failure(.linkNotAllowed(journey.host(of: redirect)), orphan: orphan)
            }
            let credentials = credentials(on: flow.journeyPage)
            for relyingParty in credentials.foreignRelyingParties { warnings.foreign(relyingParty: relyingParty) }
            if credentials.hidesChallenge { warnings.hiddenChallenge() }
            return .page(flow)
        case .error(let node):
            var failure = failure(of: node, name ?? journey.defaultJourney)
            failure.more = node.shown(exposed, after: page)
            return .failure(failure, orphan: orphan)
        case .failure(let node):
            return .failed(step, by: node.cause, as: failure(of: node.cause), orphan: orphan)
        case .success(let node):
            guard node.isSignedIn else { return .successWithoutSession }
            guard let signIn = storages.signIn else {
                // A journey without its OIDC module signs no user in.
                return .failure(
                    FlowFailure(reason: .configuration, check: "the journey has no OIDC module"),
                    orphan: storages.newSession)
            }
            return .success(signIn)
        }
    }

    /// The failure of a refusal by AM; if only an operator can fix it, `check` tells the log what is wrong.
    private func failure(of node: ErrorNode, _ name: String?) -> FlowFailure {
        let message = node.message.isEmpty ? nil : node.message
        switch node.journeyKind {
        case .badRequest where node.status == 404:
            return FlowFailure(reason: .configuration, message: message, check: "unknown realm")
        case .badRequest where node.isUnknownJourney:
            return FlowFailure(
                reason: .configuration, message: message, check: "unknown journey \(name ?? "")")
        case .accountMismatch where journey.sessionUpgrade == .header:
            // AM did not find the session to upgrade, because it was not where AM looked for it.
            return FlowFailure(
                reason: .configuration, check: "ForceAuth without a session; set sessionUpgrade: parameter")
        case .suspendedExpired:
            // AM's message is a name in its own code, which means nothing to a user.
            return FlowFailure(reason: .suspendedExpired)
        case let kind:
            return FlowFailure(reason: FailureReason(kind), message: message, check: node.unshownCallback)
        }
    }

    /// The failure of a journey that ended well, but whose tokens could not be obtained.
    private func failure(of error: TokenError, _ reason: FailureReason) -> FlowFailure {
        var failure = FlowFailure(reason: reason, check: error.check, mismatch: error.mismatch)
        failure.lacksTokensAlone = true
        return failure
    }

    private func failure(of cause: EngineError) -> FlowFailure {
        switch cause {
        case .moduleFailed(.success, let error as JourneyTokenError): failure(of: tokenError(error), error.flowReason)
        case .flowOver: FlowFailure(reason: .journeyExpired)
        case _ where cause.limit != nil: FlowFailure(reason: .pageTooLarge, check: cause.limit)
        case .configuration(let what): FlowFailure(reason: .configuration, check: what)
        case .unexpectedStatus(500..., _), .noUsableAnswer, .moduleFailed, .notReached, .busy:
            FlowFailure(reason: .providerUnavailable)
        case .unexpectedStatus(let status, _), .unexpectedRedirect(let status, _), .malformed(let status, _):
            FlowFailure(reason: .providerUnavailable, check: "status \(status)")
        }
    }
}

extension SSOSession: KeptSession {
    /// Compares the session cookies.
    package func isSame(as other: SSOSession) -> Bool { value == other.value }
}

extension ProductName {
    /// Journeys of PingAM or PingOne Advanced Identity Cloud.
    package static let journey = ProductName(rawValue: "journey")
}

extension FailureReason {
    /// Translates a kind of AM's refusals.
    fileprivate init(_ kind: JourneyErrorKind) {
        self =
            switch kind {
            case .authenticationFailed: .authenticationFailed
            case .journeyExpired: .journeyExpired
            case .suspendedExpired: .suspendedExpired
            case .policyFailed: .policyFailed
            case .badRequest: .badRequest
            case .accountMismatch: .accountMismatch
            }
    }
}

extension JourneyTokenError {
    /// The stable reason of a flow that ended because its tokens could not be obtained.
    fileprivate var flowReason: FailureReason {
        switch self {
        case .consentRequired: .consentRequired
        case .tooWeak, .provider(.rejected("unmet_authentication_requirements", _)): .tooWeak
        case .provider(let cause):
            switch TokenError(cause) {
            case .refused, .unknownClient, .misconfigured, .unsupported: .configuration
            default: .providerUnavailable
            }
        case .noSession, .sessionEnded, .loginRequired, .store: .providerUnavailable
        }
    }
}

extension TokenError {
    /// Translates an error of a journey's tokens into an error of the use cases.
    fileprivate init(_ error: JourneyTokenError) {
        self =
            switch error {
            case .noSession, .sessionEnded: .sessionEnded
            case .loginRequired: .loginRequired
            case .tooWeak: .tooWeak
            case .consentRequired: .consentRequired
            case .provider(let cause): TokenError(cause)
            case .store: .unavailable(retryAfter: .seconds(5))
            }
    }
}
