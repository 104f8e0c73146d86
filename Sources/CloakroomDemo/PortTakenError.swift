import Cloakroom

/// A port that the demo cannot bind: it is in use, or this user may not bind it.
struct PortTakenError: Error, CustomStringConvertible {
    let description: String

    init(port: UInt16, of part: String, option: String) {
        description = """
            cannot listen on port \(port) for \(part). Another demo may be running; to take a free port instead:
              make demo ARGS="\(option) 0"
              make demo ARGS="--port 0 --admin-port 0 --simulator-port 0 --ledger-port 0"
            """
    }

    /// The error for one of the server's own ports; nil for other errors.
    init?(_ error: ServerError, port: UInt16, adminPort: UInt16) {
        guard case .listen(_, _, let taken, _) = error else { return nil }
        if taken == port {
            self.init(port: taken, of: "Cloakroom", option: "--port")
        } else {
            self.init(port: taken, of: "the admin listener", option: "--admin-port")
        }
    }
}
