/// Looks for thousands of secrets in megabytes of text in one pass: by their first eight bytes, then byte for byte.
struct SecretSearch {
    private let secrets: [UInt64: [[UInt8]]]

    /// Shorter secrets than eight bytes would be found by chance and are left out.
    init(_ secrets: [String]) {
        let bytes = Set(secrets).map { Array($0.utf8) }.filter { $0.count >= 8 }
        self.secrets = Dictionary(grouping: bytes) { Self.key($0[...]) }
    }

    /// The first secret that stands in the text.
    func firstSecret(in text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 8 else { return nil }
        var key = Self.key(bytes[...])
        for start in 0...(bytes.count - 8) {
            if start > 0 { key = key << 8 | UInt64(bytes[start + 7]) }
            guard let candidates = secrets[key] else { continue }
            if let found = candidates.first(where: { bytes[start...].starts(with: $0) }) {
                return String(decoding: found, as: UTF8.self)
            }
        }
        return nil
    }

    private static func key(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
