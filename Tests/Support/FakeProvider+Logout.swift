internal import Basics
internal import OpenIDConnect

/// Logout tokens of a fake provider: plain text, which counts as signed.
extension FakeProvider {
    /// A logout token, issued now or some seconds later.
    package func logoutToken(
        subject: String? = nil, sessionID: String? = nil, id: String, issuer: String? = nil, seconds: Int64 = 0
    ) -> String {
        [
            issuer ?? self.issuer, subject ?? "", sessionID ?? "", id, "\(time.now().seconds + seconds)",
        ].joined(separator: "|")
    }

    func notice(of token: String) throws(LogoutTokenError) -> LogoutNotice {
        let parts = token.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, let seconds = Int64(parts[4]) else { throw .refused(check: "signature") }
        if parts[3] == "unreachable" { throw .unavailable(retryAfter: .seconds(5)) }
        let issuedAt = Timestamp(seconds: seconds)
        return LogoutNotice(
            issuer: parts[0], subject: parts[1].isEmpty ? nil : parts[1],
            sessionID: parts[2].isEmpty ? nil : parts[2], tokenID: parts[3], issuedAt: issuedAt,
            staleAt: issuedAt + .seconds(660))
    }
}
