import HTTPServer
import Logs

/// The smallest use of `HTTPServer`: 300 bytes of JSON at `/`, and after one suspension at `/hop`.
///
/// What it costs above `floor.c` is the price of the checks on each request, of Swift and of `async`.
enum HelloRole {
    private static let headers = [
        ResponseHeader("Content-Type", "application/json"),
        ResponseHeader("Cache-Control", "no-store"),
    ]
    private static let body = [UInt8](repeating: UInt8(ascii: "a"), count: 300)

    static func run() async throws {
        let listener = try Listener(ListenerSettings(), logger: Main.logger("hello")) { request in
            if request.path == "/hop" { await Task.yield() }
            return ServerResponse(status: 200, headers: headers, body: .bytes(body))
        }
        try listener.start()
        Main.ready("\"url\":\"http://127.0.0.1:\(listener.port)\"")
        await Main.runUntilKilled()
    }
}
