/// How a session reaches a journey that upgrades it: a forced journey, a step-up, or a policy's advice.
///
/// Header and cookie carry the session in both cases; some versions of AM ignore them for an upgrade.
public enum SessionUpgrade: String, Sendable, CaseIterable {
    /// By header and cookie only, as Ping's SDKs do.
    case header
    /// Also by the query parameter `sessionUpgradeSSOTokenId` on the first request.
    ///
    /// `ForceAuth` is then sent only together with the parameter, because AM refuses it without a session to upgrade.
    /// The session is part of an address then, which AM and the proxies in front of it may log.
    case parameter
}
