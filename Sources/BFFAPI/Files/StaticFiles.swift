internal import Basics
internal import HTTPCore
internal import HTTPServer

/// The files of an app that is served beside the API.
///
/// All of them are in memory, and a request is answered by a lookup of its path as it was sent. No request opens a file,
/// so that no path can lead out of the folder.
package struct StaticFiles: Sendable, Equatable {
    private let files: [String: StaticFile]

    /// Makes the files of an app.
    ///
    /// - Parameter files: By path, `/app.js`; `/index.html` is also the page of `/`, and of every path of the app that
    ///   a browser opens and no file has.
    package init(_ files: [String: StaticFile]) {
        self.files = files
    }

    /// Answers a request for a file or for a page of the app, with the policy of its pages; nil for every other
    /// request.
    func answer(_ request: ServerRequest, policy: String) -> OperationAnswer? {
        guard request.method == .get || request.method == .head else { return nil }
        guard let file = file(request) else { return nil }
        let (coding, variant) = Self.variant(of: file, request)
        var fields = [
            ResponseHeader("Content-Security-Policy", policy),
            // The browser keeps the file and asks each time if it is still the same one.
            ResponseHeader("Cache-Control", "no-cache"),
            ResponseHeader("ETag", variant.tag),
        ]
        if !file.coded.isEmpty { fields.append(ResponseHeader("Vary", "Accept-Encoding")) }
        if Self.hasAlready(request, variant.tag) { return .file(status: 304, fields, []) }
        fields.append(ResponseHeader("Content-Type", file.mediaType))
        if let coding { fields.append(ResponseHeader("Content-Encoding", coding)) }
        return .file(status: 200, fields, variant.bytes)
    }

    private func file(_ request: ServerRequest) -> StaticFile? {
        let path = String(request.path)
        if let file = files[path] { return file }
        if path.isSameText(as: "/") { return files["/index.html"] }
        // rule: only pages that a browser opens fall back to the app's page
        guard Self.named("accept", request).contains(Array("text/html".utf8)), Self.isPage(path) else { return nil }
        return files["/index.html"]
    }

    /// True if the path can be that of an app's page: a missing script must not be answered with a page, and relative
    /// links of the page must lead to where they say.
    private static func isPage(_ path: String) -> Bool {
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(UInt8(ascii: "\\")) else { return false }
        guard segments.dropLast().allSatisfy({ !$0.isEmpty }) else { return false }
        // rule: a path with a dot is a file's | true
        return segments.allSatisfy { !$0.contains(UInt8(ascii: ".")) }
    }

    /// The best content that the request accepts; a coding counts only if it is named, and not with `q=0`.
    private static func variant(
        of file: StaticFile, _ request: ServerRequest
    ) -> (coding: String?, variant: StaticFile.Variant) {
        let names = named("accept-encoding", request)
        for (coding, variant) in file.coded where names.contains(Array(coding.utf8)) { return (coding, variant) }
        return (nil, file.plain)
    }

    /// The names in a field of what a client accepts, in lower case, without those that it refuses by `q=0`.
    private static func named(_ field: String, _ request: ServerRequest) -> [[UInt8]] {
        let entries = request.headers.values(field).flatMap {
            $0.lowercased().utf8.split(separator: UInt8(ascii: ","))
        }
        return entries.compactMap { entry -> [UInt8]? in
            let parts = entry.split(separator: UInt8(ascii: ";")).map { $0.filter(isNoBlank) }
            // rule: a name with q=0 is refused
            guard !parts.dropFirst().contains(where: isZero) else { return nil }
            return parts.first
        }
    }

    /// True if the request names the tag of the content that the browser would get (RFC 9110 section 13.1.2).
    private static func hasAlready(_ request: ServerRequest, _ tag: String) -> Bool {
        request.headers.values("if-none-match").contains { value in
            value.utf8.split(separator: UInt8(ascii: ",")).contains { entry in
                let name = entry.filter(isNoBlank)
                return ["*", tag, "W/" + tag].contains { $0.utf8.elementsEqual(name) }
            }
        }
    }

    private static func isNoBlank(_ byte: UInt8) -> Bool { byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") }

    /// True for a weight of zero: `q=0` with up to three decimals.
    private static func isZero(_ part: [UInt8]) -> Bool {
        ["q=0", "q=0.", "q=0.0", "q=0.00", "q=0.000"].contains { $0.utf8.elementsEqual(part) }
    }
}
