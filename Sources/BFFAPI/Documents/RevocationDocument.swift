internal import BFF

/// The answer to `token/revoke`, as JSON; empty when the tokens are revoked.
enum RevocationDocument {
    static func document(_ outcome: RevocationOutcome) -> [UInt8] {
        switch outcome {
        case .ended: []
        case .pending: Array(#"{"revoked":false,"pending":true}"#.utf8)
        case .impossible: Array(#"{"revoked":false,"pending":false}"#.utf8)
        }
    }
}
