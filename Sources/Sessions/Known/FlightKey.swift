package import StorageKit

/// The key of shared work: a record of a browser session, whose callers share one run.
package struct FlightKey: Hashable, Sendable {
    let session: SessionKey
    /// The field of the record.
    package let field: String
    /// True if the work is done even where it is not due; only callers that ask for that share it.
    var isForced = false

    /// Names the record that the work is about.
    package init(session: SessionKey, field: String, isForced: Bool = false) {
        self.session = session
        self.field = field
        self.isForced = isForced
    }
}
