/// The request that a task works for, for log lines of those who know only the call that they make.
///
/// Tasks that are begun meanwhile inherit it. What several requests share, as the renewal of a token, belongs to the one
/// that began it.
public enum RequestScope {
    /// The request id; nil where nobody in particular is served.
    @TaskLocal public static var id: String?
}
