import Basics

/// What a foreign API asked for, held in the session for five minutes under a `c_…` id; never taken from the browser.
struct StepUpChallenge: Sendable, Equatable {
    static let lifetime = Duration.seconds(300)

    /// The configured requirement that the challenge was mapped to.
    var requirement: String
    /// The `acr_values` that were asked for.
    var acrValues: [String]

    static let prefix = "challenge/"

    static func field(_ id: String) -> String { prefix + id }

    /// Whether a text from a request may be the id of a challenge; no other is looked up.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasPrefix("c_")
    }

    var encoded: [UInt8] {
        var writer = RecordWriter(version: 1)
        writer.write(requirement)
        writer.write(acrValues) { $0.write($1) }
        return writer.bytes
    }
}

extension StepUpChallenge {
    init(decoding bytes: [UInt8]) throws(RecordReader.Malformed) {
        var reader = try RecordReader(bytes, version: 1)
        requirement = try reader.string()
        acrValues = try reader.list { reader throws(RecordReader.Malformed) in try reader.string() }
        try reader.end()
    }
}
