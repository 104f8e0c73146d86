import Foundation
import HTTPCodec
import HTTPCore
import Testing

@Suite("An answer that breaks a rule")
struct AnswerAttackTests {
    @Test("is refused by its check, and its connection is not used again", arguments: AnswerAttack.all)
    func refused(_ attack: AnswerAttack) {
        let outcome = attack.wire.collected()
        #expect(outcome.refusal == attack.refusal, "\(attack.clause)")
        #expect(!outcome.canBegin)
        #expect(outcome.status == attack.answered)
        #expect(outcome.isComplete == (attack.answered != nil))
        #expect(attack.wire.streamed() == outcome)
    }

    @Test("is refused in the same way however its bytes are split", arguments: AnswerAttack.all)
    func split(_ attack: AnswerAttack) {
        let whole = attack.wire.collected()
        for cuts in attack.wire.splits {
            #expect(attack.wire.collected(cuts: cuts) == whole, "\(cuts.prefix(1))")
            #expect(attack.wire.streamed(cuts: cuts) == whole, "\(cuts.prefix(1))")
        }
    }

    @Test func `is in the table for each check, under a name and a clause of its own`() {
        #expect(Set(AnswerAttack.all.map(\.refusal)) == Set(HTTPCodecError.allCases))
        #expect(Set(AnswerAttack.all.map(\.testDescription)).count == AnswerAttack.all.count)
        for attack in AnswerAttack.all {
            #expect(["RFC 9110", "RFC 9112"].contains(attack.clause.prefix(8)) && attack.clause.utf8.count > 9)
        }
    }

    @Test func `is refused again by every later call`() {
        let answer = Array("HTTP/1.1 200 OK\r\nA : b\r\n\r\n".utf8)
        var reader = ResponseParser()
        reader.begin(.get)
        reader.requestWritten()
        for bytes in [answer, [], Array("HTTP/1.1 200 OK\r\n\r\n".utf8)] {
            #expect(throws: HTTPCodecError.blankBeforeColon) { try bytes.withUnsafeBytes { _ = try reader.read($0) } }
        }
        #expect(throws: HTTPCodecError.blankBeforeColon) { try reader.end(isClean: true) }
        #expect(reader.head == nil && !reader.canBegin)
    }

    @Test func `says nothing of its bytes`() {
        let answer = Array("HTTP/1.1 200 OK\r\nSet-Cookie: secret\r\nContent-Length: 0\r\n\r\n".utf8)
        var response = ResponseCollector()
        response.begin(.get)
        response.requestWritten()
        _ = answer.withUnsafeBytes { try? response.read($0) }
        let head = response.head
        #expect(head.map { "\($0)" } == "200, 2 fields")
        var text = ""
        dump(head, to: &text)
        #expect(!text.contains("secret"))
        #expect(head.map { String(reflecting: $0) } == "200, 2 fields")
    }

    /// The row of the document.
    private static func row(_ attack: AnswerAttack) -> String {
        let answer =
            switch attack.refusal {
            case _ where attack.answered != nil: "the answer \(attack.answered ?? 0)"
            case .closedBeforeAnswer, .closedInHead, .closedInBody, .closedUncleanly: "`closed`"
            case .headTooLarge, .tooManyFields, .tooManyInterim, .chunkExtensionsTooLarge, .bodyTooLarge: "`tooLarge`"
            default: "`malformed`"
            }
        let bytes = attack.wire.bytes.prefix(80).map { byte in
            switch byte {
            case 13: "\\r"
            case 10: "\\n"
            case 9: "\\t"
            case 0: "\\0"
            case UInt8(ascii: "|"): "\\|"
            case 0x20..<0x7F: String(UnicodeScalar(byte))
            default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        let text = bytes.joined() + (attack.wire.bytes.count > 80 ? "…" : "")
        return "| \(attack.testDescription) | \(attack.clause) | `\(attack.refusal.rawValue)` | \(answer) | "
            + (text.isEmpty ? "none |" : "`\(text)` |")
    }

    @Test func `has its row in the document, and the document has no other`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/answer-attacks.md")
        let rows = try String(contentsOf: root, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(rows.dropFirst().map { String($0) } == AnswerAttack.all.map(Self.row))
    }
}
