public import Logging

/// Serves HTTP/1.1 on one address: checks every request head strictly, bounds everything, and calls the handler.
public final class Listener: Sendable {
    /// A listener that is not started yet.
    ///
    /// - Parameters:
    ///   - settings: Address and limits.
    ///   - logger: Where refusals (debug) and faults (warning) go; never gets header values, targets or bodies.
    ///   - refusal: Makes the answers that the listener gives itself.
    ///   - handler: Answers the requests.
    /// - Throws: `.setting` naming a setting out of its range.
    public init(
        _ settings: ListenerSettings,
        logger: Logger,
        refusal: @escaping RefusalResponder = Refusal.problem,
        handler: @escaping RequestHandler
    ) throws(ListenerError) {
        throw .start
    }

    /// The port that is bound, 0 before the start.
    public var port: UInt16 { 0 }

    /// Binds the address and begins to serve.
    ///
    /// - Throws: `.bind` when the address is taken or not ours.
    public func start() throws(ListenerError) {
        throw .start
    }

    /// Stops: accepts nothing new, refuses new requests with 503, waits for those under way, cancels what is left.
    ///
    /// - Parameter grace: How long the requests under way may take before they are cancelled.
    public func stop(grace: Duration) async {}
}
