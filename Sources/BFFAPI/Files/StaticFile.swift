internal import Cryptography

/// A file of an app, as it is sent.
package struct StaticFile: Sendable, Equatable {
    /// The value of `Content-Type`.
    package let mediaType: String
    /// The content without a coding.
    package let plain: Variant
    /// Compressed content, by the name of the coding in `Content-Encoding`, best first.
    package let coded: [(coding: String, variant: Variant)]

    /// The bytes of one coding, with their entity tag.
    package struct Variant: Sendable, Equatable {
        let tag: String
        let bytes: [UInt8]

        /// Makes the tag from the bytes: a strong one, because other bytes have another tag (RFC 9110 section 8.8.3).
        package init(_ bytes: [UInt8]) {
            let digits = Array("0123456789abcdef".utf8)
            let name = Digest.hash(bytes).prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            tag = "\"" + String(decoding: name, as: UTF8.self) + "\""
            self.bytes = bytes
        }
    }

    /// Makes a file.
    ///
    /// - Parameters:
    ///   - name: The last segment of its path; its ending gives the media type.
    ///   - plain: The content.
    ///   - coded: Compressed content by coding, best first.
    package init(name: String, plain: [UInt8], coded: [(coding: String, bytes: [UInt8])] = []) {
        mediaType = Self.mediaType(name)
        self.plain = Variant(plain)
        self.coded = coded.map { ($0.coding, Variant($0.bytes)) }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.mediaType == right.mediaType && left.plain == right.plain
            && left.coded.map(\.variant) == right.coded.map(\.variant)
    }

    private static func mediaType(_ name: String) -> String {
        let ending = name.lowercased().utf8.split(separator: UInt8(ascii: ".")).last.map(Array.init) ?? []
        return mediaTypes.first { $0.ending.elementsEqual(ending) }?.type ?? "application/octet-stream"
    }

    private static let mediaTypes: [(ending: String.UTF8View, type: String)] = [
        ("html".utf8, "text/html; charset=utf-8"), ("js".utf8, "text/javascript; charset=utf-8"),
        ("mjs".utf8, "text/javascript; charset=utf-8"), ("css".utf8, "text/css; charset=utf-8"),
        ("json".utf8, "application/json"), ("map".utf8, "application/json"),
        ("webmanifest".utf8, "application/manifest+json"), ("svg".utf8, "image/svg+xml"), ("png".utf8, "image/png"),
        ("jpg".utf8, "image/jpeg"), ("jpeg".utf8, "image/jpeg"), ("webp".utf8, "image/webp"),
        ("avif".utf8, "image/avif"), ("ico".utf8, "image/x-icon"), ("woff2".utf8, "font/woff2"),
        ("wasm".utf8, "application/wasm"), ("txt".utf8, "text/plain; charset=utf-8"),
    ]
}
