import HTTPServer
import Logging

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The smallest use of `HTTPServer`, for comparison with `floor.c`.
///
/// Answers 300 bytes of JSON at `/`, and after one suspension at `/hop`. Prints its port.
///
/// What it costs above `floor.c` is the price of the request checks, of Swift and of `async`.
@main
struct Hello {
    static let headers = [
        ResponseHeader("Content-Type", "application/json"),
        ResponseHeader("Cache-Control", "no-store"),
    ]
    static let body = [UInt8](repeating: UInt8(ascii: "a"), count: 300)

    static func main() async throws {
        var settings = ListenerSettings()
        settings.threads = 2
        var logger = Logger(label: "hello")
        logger.logLevel = .warning
        let listener = try Listener(settings, logger: logger) { request in
            if request.path == "/hop" { await Task.yield() }
            return ServerResponse(status: 200, headers: headers, body: .bytes(body))
        }
        try listener.start()
        print(listener.port)
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}
