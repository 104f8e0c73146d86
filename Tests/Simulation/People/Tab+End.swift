import HTTPCore
import JSON

extension Tab {
    /// Has the tokens of an instance revoked.
    func revoke(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var request = Request("revoke", .post, "/bff/\(instance)/token/revoke")
        request.detail = " \(instance)"
        request.instance = instance
        await end(request, [instance], isTokensOnly: true, &numbers)
    }

    /// Signs an instance out.
    func logout(_ instance: Instance, isShared: Bool, _ numbers: inout SeededNumbers) async {
        var request = Request("logout", .post, "/bff/\(instance)/logout")
        request.detail = " \(instance)\(isShared ? " with its session" : "")"
        request.instance = instance
        if isShared { request.body = ["session": true] }
        // One with an own token storage in a shared session loses its tokens alone.
        let isTokensOnly = instance.isElevated && !isShared
        await end(request, isTokensOnly ? [instance] : instance.sharing, isTokensOnly: isTokensOnly, &numbers)
    }

    /// Signs an account out, or the browser.
    func logoutAll(
        _ account: String?, _ jar: Jar?, isSlow: Bool = false, _ numbers: inout SeededNumbers, isThiefs: Bool = false
    ) async {
        let query = account.map { "?account=\($0)" } ?? ""
        // The default account has no name that a query could have.
        let account = account == "" ? nil : account
        var request = Request("logout-all", .post, "/bff/logout\(account == nil ? "" : query)")
        request.detail = account.map { " \($0)" } ?? ""
        (request.jar, request.isThiefs) = (jar, isThiefs)
        if isSlow { request.lag = .seconds(6) }
        let accounts = account.map { [$0] } ?? ["", "alice"]
        let instances = accounts.flatMap { account in
            Definition.names(browser.mix).map { Instance($0, account) }
        }
        await end(request, account: account, instances, isTokensOnly: false, &numbers)
    }

    /// Ends sign-ins, and keeps what the user knows of it.
    private func end(
        _ request: Request, account: String? = nil, _ instances: [Instance], isTokensOnly: Bool,
        _ numbers: inout SeededNumbers
    ) async {
        var request = request
        request.disturbs = true
        let began = world.now
        browser.expectations.ends(request.instance, account, at: began)
        let (answer, sent) = await browser.send(request, &numbers)
        browser.expectations.ends(request.instance, account, at: world.now)
        guard let status = answer.response?.status, 200..<300 ~= status else { return }
        // Tokens alone, and a sign-in at the same time: either may have been first.
        if isTokensOnly, browser.expectations.lastOverlap >= began { return }
        guard browser.reachesAll(sent) else { return }
        if request.name == "logout-all" { browser.endedAccounts[account] = sent }
        browser.expectations.loggedOut(instances, Expectations.Logout(began: began, ended: sent.ended))
    }
}
