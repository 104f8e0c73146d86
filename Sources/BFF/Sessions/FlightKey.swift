import StorageKit

/// The key of shared work: a record of a browser session, whose callers share one run.
struct FlightKey: Hashable, Sendable {
    let session: SessionKey
    let field: String
    /// True if the work is done even where it is not due; only callers that ask for that share it.
    var isForced = false
}
