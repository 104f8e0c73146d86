import Logs

/// What became of something that had to end at a provider.
enum Fate: Sendable, Equatable {
    /// The provider took it, or had ended it already.
    case ended
    /// The provider could not be asked or does not know us now; it is tried again.
    case pending
    /// The provider cannot or will not, and no later try would help.
    case impossible

    /// The document that tells a browser; empty where there is nothing to tell.
    static func document(_ fates: [Fate]) -> [UInt8] {
        if fates.contains(.impossible) { return Array(#"{"revoked":false,"pending":false}"#.utf8) }
        return fates.contains(.pending) ? Array(#"{"revoked":false,"pending":true}"#.utf8) : []
    }
}
