internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import PingCompatibility

extension BrowserAPI {
    /// `authorize`: a code or a placeholder of an ID token for a user who is signed in, `login_required` for any other.
    func authorize(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        let call = ping.operation
        let asked: CodeRequest
        do { asked = try CodeRequest(try query(ping)) } catch let error as BFFError { throw Problem(error) } catch {
            throw Problem(.malformed)
        }
        // rule: a code goes to a page of the application
        guard asked.redirectURI.map({ crossOrigin.knows($0.origin) }) ?? true else {
            throw Problem(.malformed, member: "redirect_uri", .notAllowed)
        }
        if ping.route.isDaVinci, asked.isForScript, !asked.isSilent { return try await startFlow(asked, ping) }
        try checkRates(call)
        do throws(Problem) {
            let user = try await asking(call) { () throws(BFFError) in
                try await backend.user(call.instance, refresh: false, call.context())
            }
            // rule: a request that demands an act of the user gets no code
            if asked.demandsUser { throw Problem(ProblemType.interactionNeeded) }
            guard asked.isMet(by: UserDocument.document(user), now: time.now().seconds) else {
                throw Problem(ProblemType.interactionNeeded)
            }
            return try await allowed(asked, user, ping)
        } catch {
            return try refused(asked, error, ping)
        }
    }

    private func allowed(_ asked: CodeRequest, _ user: User, _ ping: PingCall) async throws(Problem)
        -> OperationAnswer
    {
        let call = ping.operation
        switch asked.kind {
        case .none: return asked.redirectURI == nil ? .empty([]) : .redirect(asked.redirect([]), [])
        case .idToken:
            guard asked.redirectURI != nil else { throw Problem(.malformed, member: "redirect_uri", .required) }
            let token = PlaceholderToken.idToken(
                IDTokenRequest(issuer: ping.issuer, clientID: asked.clientID, nonce: asked.nonce),
                user: UserDocument.document(user), now: time.now().seconds)
            return .redirect(asked.redirect([("id_token", token)]), [])
        case .code:
            let code = try await asking(call) { () throws(BFFError) in
                try await backend.placeholders.code(for: asked.placeholder, call.instance, call.context())
            }
            if asked.isForScript { return .answered(status: 200, OpenIDDocument.code(code, state: asked.state), .keep) }
            guard asked.redirectURI != nil else { throw Problem(.malformed, member: "redirect_uri", .required) }
            return .redirect(asked.redirect([("code", code)]), [])
        }
    }

    /// The answer to a request that is refused: an error for the script, or a redirect with the error.
    private func refused(
        _ asked: CodeRequest, _ problem: Problem, _ ping: PingCall
    ) throws(Problem) -> OperationAnswer {
        guard !asked.isForScript, asked.redirectURI != nil, problem.status < 500 else { throw problem }
        let code =
            switch problem.type {
            case .interactionNeeded, .stepUpRequired: "interaction_required"
            // Another tab changes the session: the user is not signed out.
            case .sessionChanged: "temporarily_unavailable"
            default: "login_required"
            }
        return .redirect(
            asked.redirect([("error", code), ("error_description", problem.detail.description)]), [])
    }

    /// `access_token`: placeholders for a code.
    func exchange(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        let call = ping.operation
        try checkRates(call)
        let form = try await form(ping)
        guard form.single("grant_type")?.isSameText(as: "authorization_code") ?? false else {
            throw Self.oauth("unsupported_grant_type", "The grant type must be authorization_code.")
        }
        let grant = try await asking(call) { () throws(BFFError) in
            try await backend.placeholders.exchange(
                form.single("code") ?? "", verifier: form.single("code_verifier"),
                redirectURI: form.single("redirect_uri"), call.instance, call.context())
        }
        guard let grant else {
            throw Self.oauth(
                "invalid_grant", "The code is unknown, used or too old, or was not given for this request.")
        }
        let user = UserDocument.document(grant.user)
        let token = PlaceholderToken.idToken(
            IDTokenRequest(issuer: ping.issuer, clientID: form.single("client_id"), nonce: grant.nonce), user: user,
            now: time.now().seconds)
        return .answered(status: 200, OpenIDDocument.tokens(grant, idToken: token, user: user), .keep)
    }

    /// `userinfo`: the subject and the claims; the cookie counts, whatever `Authorization` says.
    func userInfo(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        let call = ping.operation
        let user = try await asking(call) { () throws(BFFError) in
            try await backend.user(call.instance, refresh: false, call.context())
        }
        return .answered(status: 200, OpenIDDocument.claims(user: UserDocument.document(user)), .keep)
    }

    /// `token/revoke`: revokes the tokens that the newest placeholder stands for; any other text counts as revoked
    /// (RFC 7009 section 2.2).
    func revokePlaceholder(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        let call = ping.operation
        guard let token = try await form(ping).single("token") else {
            throw Problem(.malformed, member: "token", .required)
        }
        guard let placeholder = PlaceholderToken(token) else { return .empty([]) }
        try await asking(call) { () throws(BFFError) in
            try await backend.placeholders.revoke(placeholder.id, call.instance, call.context())
        }
        return .empty([])
    }

    /// `connect/endSession`: signs the instance out, with its provider session.
    func endSession(_ ping: PingCall) async throws(Problem) -> OperationAnswer { .reply([], try await signOut(ping)) }

    /// Signs the instance of a call out.
    func signOut(_ ping: PingCall) async throws(Problem) -> CookieChange {
        let call = ping.operation
        return try await asking(call) { () throws(BFFError) in
            try await backend.logout(call.instance, session: true, call.context())
        }
    }

    private static func oauth(_ code: String, _ sentence: StaticString) -> Problem {
        var problem = Problem(.malformed, sentence)
        problem.form = .oauth(code)
        return problem
    }
}

extension CallerRules {
    /// Admits a request to `authorize` by a frame or a script: the browser must not name another site.
    ///
    /// The answer goes to a page of the application, and gives a code that opens nothing.
    func admitFrame(_ request: ServerRequest) throws(Problem) -> SentCookies {
        try checkOrigin(request)
        // rule: a frame of another site gets no code
        try checkFetchSite(request)
        try checkHost(request)
        return try readCookies(request)
    }
}
