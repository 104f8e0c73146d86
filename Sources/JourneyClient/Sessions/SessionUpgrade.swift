/// How a session that a forced journey, a step-up or a policy's advice shall upgrade reaches the journey.
///
/// Header and cookie carry it in either case; some versions of AM take no notice of them there.
public enum SessionUpgrade: String, Sendable, CaseIterable {
    /// By header and cookie alone, as Ping's SDKs do.
    case header
    /// By the query parameter `sessionUpgradeSSOTokenId` too, on the first request; `ForceAuth` then goes only together
    /// with it, because AM without a session to upgrade refuses it.
    ///
    /// The session is part of an address then, which AM and what is in front of it may write to their logs.
    case parameter
}
