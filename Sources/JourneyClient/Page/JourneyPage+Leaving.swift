extension JourneyPage {
    /// What sends the user to another site; nil for a page that does not.
    public var redirect: RedirectCallback? {
        // By the name on the wire: what catalogue a client has makes no difference to where it lets users go.
        callbacks.first { $0.type == RedirectCallback.wireType }.map { RedirectCallback($0.raw) }
    }

    /// What says that the journey waits for a link to be opened; nil for a page that does not.
    public var suspension: SuspendedTextOutputCallback? {
        callbacks.first { $0.type == SuspendedTextOutputCallback.wireType }.map { SuspendedTextOutputCallback($0.raw) }
    }
}
