import Foundation
import Testing

/// What docs/audit.md says of audit lines.
struct AuditPage {
    /// An outcome of an event as a row says it.
    struct Row: Equatable {
        let event: String
        let outcome: String
        let further: Set<String>
    }

    /// The members that every line may have.
    let common: Set<String>
    let rows: [Row]
    /// One line of each event.
    let examples: [(event: String, line: String)]

    init() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/audit.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        var (common, rows, examples) = (Set<String>(), [Row](), [(String, String)]())
        var event: String?
        for line in text.split(separator: "\n") {
            let cells = line.split(separator: "|").map(String.init)
            if line.hasPrefix("### ") {
                event = Self.words(line).first
            } else if line.hasPrefix("| `"), let event {
                let outcome = try #require(Self.words(cells[0]).first)
                rows.append(Row(event: event, outcome: outcome, further: Set(Self.words(cells[1]))))
            } else if line.hasPrefix("| `") {
                common.formUnion(Self.words(cells[0]))
            } else if line.hasPrefix("{"), let event {
                examples.append((event, String(line)))
            }
        }
        (self.common, self.rows, self.examples) = (common, rows, examples)
    }

    /// The words in code.
    private static func words(_ text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
            String($0.element)
        }
    }

    /// Whether the page has a line's event, outcome and members.
    func knows(_ line: AuditLine) -> Bool {
        guard let row = rows.first(where: { $0.event == line.event && $0.outcome == line.members["outcome"] }) else {
            return false
        }
        return Set(line.members.keys).isSubset(of: common.union(row.further))
    }
}

/// An audit line as `RecordedLog` keeps it: no value has a blank but a route.
struct AuditLine: CustomStringConvertible {
    let event: String
    let members: [String: String]

    static let events: Set = [
        "sign-in", "step-up", "call", "refresh", "revoke", "logout", "consent", "end", "remote-end", "caller",
        "guessing", "device", "admin",
    ]

    /// nil for another line.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count > 2, words[0] == "info" || words[0] == "warning", Self.events.contains(String(words[1]))
        else { return nil }
        event = String(words[1])
        var members: [String: String] = [:]
        var last: String?
        for word in words.dropFirst(2) {
            if let equals = word.firstIndex(of: "=") {
                let name = String(word[..<equals])
                members[name] = String(word[word.index(after: equals)...])
                last = name
            } else if let last {
                members[last]? += " " + word
            }
        }
        self.members = members
    }

    subscript(name: String) -> String? { members[name] }

    /// Event, outcome and reason.
    var description: String {
        [event, members["outcome"], members["reason"]].compactMap { $0 }.joined(separator: " ")
    }
}
