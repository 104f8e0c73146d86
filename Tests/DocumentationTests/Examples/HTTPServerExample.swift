import HTTPCore
import HTTPServer
import Logs

/// Greets on a port of its own until it is stopped.
func startGreeter(_ port: UInt16) throws -> Listener {
    let listener = try Listener(
        ListenerSettings(address: "127.0.0.1", port: port),
        logger: Logger(label: "greeter", to: LogLines(format: .text)),
        refusal: { status, _ in ServerResponse(status: status) },
        handler: { request in
            guard request.method == .get, request.path == "/greeting" else { return ServerResponse(status: 404) }
            return ServerResponse(
                status: 200, headers: [ResponseHeader("Content-Type", "text/plain")], body: Array("hello\n".utf8))
        })
    try listener.start()
    return listener
}
