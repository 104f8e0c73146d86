import Basics

/// What is told of a world: its lines, its fingerprint, what was exercised in it and what was found.
final class Record {
    /// Whether anybody reads the lines; otherwise none are made.
    let isRead: Bool
    private(set) var lines: [String] = []
    private(set) var findings: [Finding] = []
    private(set) var coverage = Coverage()
    /// When each fault happened last.
    private(set) var lastFaults: [String: Duration] = [:]
    /// The time of the world.
    var now = Duration.zero
    /// Of all that happened and when; equal for equal worlds.
    private(set) var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325

    init(isRead: Bool) {
        self.isRead = isRead
    }

    func note(_ now: Duration, _ text: String) {
        let milliseconds = now.milliseconds
        lines.append("\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst()) \(text)")
    }

    func add(_ finding: Finding) {
        findings.append(finding)
        note(finding.at, "!!! \(finding.rule.rawValue): \(finding.what)")
    }

    func count(_ kind: Coverage.Kind, _ name: String, _ number: Int = 1) {
        coverage.count(kind, name, number)
        if kind == .fault { lastFaults[name] = now }
    }

    /// Makes something that happened a part of the fingerprint.
    func mark(_ text: String, _ now: Duration) {
        for byte in text.utf8 { mix(UInt64(byte)) }
        mix(UInt64(bitPattern: now.nanoseconds))
    }

    private func mix(_ word: UInt64) { fingerprint = (fingerprint ^ word) &* 0x100_0000_01B3 }
}

/// A rule that was broken in a world.
struct Finding {
    let rule: Rule
    let what: String
    let at: Duration
}
