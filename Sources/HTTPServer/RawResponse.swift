/// A response as bytes, for the cases in which libmicrohttpd cannot send it.
enum RawResponse {
    /// The head and body of a response after which the connection ends.
    static func bytes(_ response: ServerResponse) -> [UInt8] {
        let body: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
        var all = Array("HTTP/1.1 \(response.status) \(reason(response.status))\r\n".utf8)
        for header in response.headers where header.handling == .send {
            all += "\(header.name): ".utf8
            header.withValueBytes { all += $0 }
            all += "\r\n".utf8
        }
        all += "Connection: close\r\nContent-Length: \(body.count)\r\n\r\n".utf8
        return all + body
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Error"
        }
    }
}
