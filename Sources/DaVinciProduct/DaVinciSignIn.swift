package import BFF
internal import Basics
package import DaVinciClient
package import JSON
package import Logs
package import OpenIDConnect
package import Orchestrate
internal import StorageKit

/// The flow client of DaVinci.
package final class DaVinciSignIn: FlowClient {
    private typealias Storages = SignInStorages<DaVinciSession>

    private let davinci: DaVinci
    private let policies: Set<String>
    private let authenticationAdvice: String?
    private let credentials: CredentialRules
    private let warnings: PageWarnings

    /// Makes a client of DaVinci flows.
    ///
    /// - Parameters:
    ///   - davinci: Runs the flows.
    ///   - openID: The OpenID client by which flows begin and tokens are obtained.
    ///   - policies: The policies that a step-up may run in place of the client's own.
    ///   - credentials: The rules for WebAuthn credentials; no credential is accepted by default.
    ///   - logger: Gets warnings about pages that no browser can answer.
    package init(
        _ davinci: DaVinci, _ openID: OpenIDClient, policies: Set<String> = [],
        credentials: CredentialRules = CredentialRules(origins: [], relyingParties: []), logger: Logger = .silent
    ) {
        self.davinci = davinci
        self.policies = policies
        self.credentials = credentials
        warnings = PageWarnings(logger, davinci.workflow.services.time)
        authenticationAdvice = openID.settings.authenticationAdvice
    }

    /// `davinci`.
    package var kind: ProductName { .davinci }

    /// Refuses the members that only journeys have, and more than one policy.
    package func check(_ start: StartRequest) throws(BFFError) {
        try start.product.allow()
        if start.transaction != nil { throw .notAllowed(.transaction) }
        if (start.loginHint?.utf8.count ?? 0) > DaVinciStartOptions.longestLoginHint { throw .notAllowed(.loginHint) }
        if start.acrValues.count > 1 { throw .notAllowed(.acrValues) }
    }

    /// Query parameters that another identity provider brings back.
    package var returnNames: Set<String> { DaVinci.returnNames }

    /// True: PingOne runs a node twenty times at most.
    package var boundsAnswers: Bool { true }

    /// True: PingOne may have told the status of a challenge without having learned the outcome of the poll.
    package var pausesAfterUnsentPoll: Bool { true }

    /// True: nodes of DaVinci flows may call other services for minutes.
    package var outlastsRequests: Bool { true }

    /// No facts: only the provider knows which policy runs.
    package func facts(of start: StartRequest) -> [String: String] { [:] }

    /// Begins a flow.
    ///
    /// The first of `acrValues` replaces the client's own policy; at a forced start, the first one that a step-up may
    /// run does.
    package func start(
        _ start: StartRequest, session: [UInt8]?, _ caller: Caller
    ) async throws(CancellationError) -> SignInOutcome {
        var options = DaVinciStartOptions()
        options.policy = start.acrValues.first { !start.isForced || policies.contains($0) }
        options.prompt = start.isForced ? "login" : start.prompt
        options.loginHint = start.loginHint
        options.uiLocales = start.uiLocales
        options.parameters = start.parameters
        // Sent, but not checked against the ID token: the code that asked for it judges the completed flow.
        if let age = start.maxAge { options.parameters["max_age"] = String(age.wholeSeconds) }
        // PingOne refuses another user while a session of one exists.
        options.ignoresSession = start.replace
        let storages = Storages(.davinciSession, session: session)
        return outcome(of: try await davinci.bound(to: storages.given(to: caller)).start(options), storages)
    }

    /// Reads a flow at its page.
    package func open(_ position: FlowPosition) throws(FlowPositionError) -> any OpenedFlow {
        DaVinciFlow(try davinci.workflow.open(position), of: self)
    }

    /// Obtains tokens by a start with `prompt=none`, which shows no page.
    package func authorize(session: inout [UInt8], _ caller: Caller) async throws(TokenError) -> SignIn {
        try check(session)
        var options = DaVinciStartOptions()
        options.prompt = "none"
        let storages = Storages(.davinciSession, session: session)
        let step: FlowStep
        do { step = try await davinci.bound(to: storages.given(to: caller)).start(options) } catch {
            throw .unavailable(retryAfter: .seconds(5))
        }
        if let renewed = storages.renewedSession { session = renewed }
        switch step.node {
        case .success:
            guard var signIn = storages.signIn else { throw .refused(check: "a success without tokens") }
            // The user has not signed in again: it is the same session, under whatever name.
            signIn.sessionIsNew = false
            return signIn
        // The provider sent a page, although none was asked for.
        case .continue: throw .loginRequired
        case .error(let node): throw .refused(check: node.davinciStart?.check ?? "status \(node.status)")
        case .failure(let node): throw tokenError(node.cause)
        }
    }

    /// Refuses a record that is not read here.
    ///
    /// - Throws: `.unavailable` for one that a server of a later version has stored, else `.sessionEnded`.
    private func check(_ session: [UInt8]) throws(TokenError) {
        do throws(RecordError) {
            _ = try DaVinciSession(decoding: session)
        } catch {
            // rule: a session that a later version has stored has not ended
            if case .newer = error { throw .unavailable(retryAfter: .seconds(5)) }
            throw .sessionEnded
        }
    }

    private func tokenError(_ cause: EngineError) -> TokenError {
        switch cause {
        case .moduleFailed(_, let error as OpenIDError): TokenError(error, authenticationAdvice)
        // These reasons do not pass by themselves: the user has to go through the pages of a flow.
        case _ where [.loginRequired, .providerRefused, .accountMismatch].contains(cause.davinci?.reason):
            .loginRequired
        case _ where cause.davinci?.reason == .configuration: .refused(check: cause.davinci?.check ?? "")
        default: .unavailable(retryAfter: cause.wait)
        }
    }

    /// Ends the session by its cookies and the ID token.
    package func endSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError) {
        do throws(TokenError) { try check(session) } catch {
            // What is not a session of any version cannot be ended.
            guard case .unavailable = error else { return }
            throw error
        }
        let storages = Storages(.davinciSession, session: session)
        guard case .failed(let cause) = await davinci.bound(to: storages.given(to: caller)).signOff().session else {
            return
        }
        // The provider refused each way to sign off, perhaps by a redirect: a retry does not help, and other
        // revocations wait behind this one.
        if case .unexpectedStatus(let status, _) = cause, 300..<500 ~= status {
            throw .refused(check: "sign-off: status \(status)")
        }
        throw .unavailable(retryAfter: .seconds(5))
    }

    /// The cookies; for a session without cookies, the ID token.
    package func least(toEnd session: [UInt8]) -> [UInt8] {
        (try? DaVinciSession(decoding: session))?.leastToEnd.encoded ?? session
    }

    /// Does nothing: PingOne prolongs sessions only by flows.
    package func keepSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError) {}

    /// True if both are the same session, whatever else is stored with them.
    package func isSame(session: [UInt8], _ other: [UInt8]) -> Bool { DaVinciSession.isSame(session, other) }

    /// True if both are the same session and PingOne has rotated its cookies.
    package func isRenamed(session: [UInt8], since former: [UInt8]) -> Bool {
        guard let session = try? DaVinciSession(decoding: session), let former = try? DaVinciSession(decoding: former)
        else { return false }
        return session.isRenamed(since: former)
    }

    /// No facts: nothing of the session is shown.
    package func sessionFacts(_ session: [UInt8]) -> JSONObject { JSONObject() }

    // MARK: Pages

    /// The rules for WebAuthn credentials at a page.
    func credentials(on page: DaVinciPage) -> DaVinciCredentials { DaVinciCredentials(rules: credentials, page: page) }

    /// The departures by the buttons of a page, without buttons to addresses that the settings do not allow.
    func departures(on page: DaVinciPage) -> [String: Departure] {
        Dictionary(
            page.departureQuestions.filter { davinci.allows($0) }.map { ($0.id, Departure(address: $0.address)) }
        ) { first, _ in first }
    }

    /// Judges the answers to a page.
    func judge(_ answers: PageAnswers, to flow: OpenFlow) -> JudgedAnswers {
        let credentials = credentials(on: DaVinciPage(flow.page))
        let own = Answers(answers.values, action: answers.action)
        switch davinci.workflow.judge(own, to: flow, besides: { credentials.problems(in: answers, besides: $0) }) {
        case .right(let answered): return right(answered, to: flow)
        case .wrong(let problems): return .wrong(problems)
        case .failed(let error):
            let failure = failure(of: error)
            return .right { _, _ in .failure(failure, orphan: nil) }
        }
    }

    /// Judges the parameters that another identity provider has brought back.
    func judge(returned: [String: String], to flow: OpenFlow) -> JudgedAnswers {
        if returned["error"] != nil, returned["continueToken"]?.isEmpty ?? true {
            // Nothing is sent: the flow knows no return without a token, and its page is still good.
            return .right { [self] _, _ in
                let text = "The other identity provider has not signed the user in."
                return .refused(DaVinciFlow(flow, of: self), message: text, details: [["target": "return"]])
            }
        }
        do {
            return right(try davinci.workflow.judge(Answers(unorderedReturned: returned), to: flow), to: flow)
        } catch {
            let text = "nothing that was brought back goes on with the flow"
            return .wrong([
                PageAnswerProblem(id: "", code: AnswerProblem.Code.notAnswerable.rawValue, message: text)
            ])
        }
    }

    private func right(_ answered: AnsweredFlow, to flow: OpenFlow) -> JudgedAnswers {
        .right { [self] session, caller throws(CancellationError) in
            let storages = Storages(.davinciSession, session: session)
            return outcome(of: try await davinci.bound(to: storages.given(to: caller)).next(answered), storages)
        }
    }

    // MARK: Outcomes

    private func outcome(of step: FlowStep, _ storages: Storages) -> SignInOutcome {
        let orphan = (step.orphan as? DaVinciSession)?.encoded
        switch step.node {
        case .continue(let page):
            let flow = OpenFlow(state: step.flow, page: page)
            warn(of: DaVinciPage(page))
            return .page(DaVinciFlow(flow, of: self))
        case .error(let node):
            guard let page = node.page else { return .failure(FlowFailure(node.davinciStart), orphan: orphan) }
            return .refused(
                DaVinciFlow(OpenFlow(state: step.flow, page: page), of: self), message: node.message,
                details: node.shownErrorDetails)
        case .failure(let node):
            var failure = failure(of: node.cause)
            failure.renewedSession = storages.renewedSession
            guard node.cause.davinci == nil else { return .failure(failure, orphan: orphan) }
            return .failed(step, by: node.cause, as: failure, orphan: orphan)
        case .success(let node):
            guard node.isSignedIn, let signIn = storages.signIn else {
                let failure = FlowFailure(reason: .configuration, check: "the flow has no module for its tokens")
                return .failure(failure, orphan: storages.newSession)
            }
            return .success(signIn)
        }
    }

    private func warn(of page: DaVinciPage) {
        for relyingParty in credentials(on: page).foreignRelyingParties {
            warnings.foreign(relyingParty: relyingParty)
        }
        for question in page.departureQuestions where !davinci.allows(question) {
            warnings.foreign(host: question.host)
        }
    }

    private func failure(of cause: EngineError) -> FlowFailure {
        if let own = cause.davinci { return FlowFailure(own) }
        switch cause {
        case .moduleFailed(_, let error as OpenIDError):
            let cause = TokenError(error, authenticationAdvice)
            return FlowFailure(reason: FailureReason(error, cause), check: cause.check, mismatch: cause.mismatch)
        case .flowOver: return FlowFailure(reason: .interactionExpired)
        case .configuration(let what): return FlowFailure(reason: .configuration, check: what)
        // The flow may have gone on, so the step is not sent again.
        case _ where cause.isUnanswered: return FlowFailure(reason: .outcomeUnknown)
        default: return FlowFailure(reason: .providerUnavailable)
        }
    }
}

extension FlowFailure {
    /// Translates the error that ended a flow, or refused a start; no error is a refusal by the provider.
    fileprivate init(_ error: DaVinciFlowError?) {
        self.init(
            reason: error.flatMap { FailureReason(rawValue: $0.reason.rawValue) } ?? .providerRefused,
            check: error?.check)
    }
}

extension FailureReason {
    /// The reason of a flow that ended because its tokens could not be obtained.
    fileprivate init(_ error: OpenIDError, _ cause: TokenError) {
        self =
            switch cause {
            case .consentRequired: .consentRequired
            // An answer to another flow says nothing about the settings.
            case .refused(let check, _) where ["state", "code"].contains(check): .providerUnavailable
            case _ where error == .rejected(code: "unmet_authentication_requirements", status: 400): .tooWeak
            case .refused, .unknownClient, .misconfigured, .unsupported: .configuration
            default: .providerUnavailable
            }
    }
}

extension DaVinciSession: KeptSession {}

extension ProductName {
    /// Flows of PingOne DaVinci.
    package static let davinci = ProductName(rawValue: "davinci")
}
