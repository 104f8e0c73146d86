import Basics
import Cryptography

/// What a flow knows of its ways out and back.
struct FlowTravel: Sendable, Equatable {
    /// The name of the target that the flow was started with; nil for the first.
    var target: String?
    /// Whether it began with a link that was opened where no flow waited for it: it builds upon nothing that this browser has.
    var isCrossBrowser = false
    /// True if it began with a link, wherever that was opened.
    var isLinked = false
    /// How often somebody has left from the page that is shown now.
    var departures = 0
}

extension FlowTravel {
    func write(into writer: inout RecordWriter) {
        writer.write(target)
        writer.write(isCrossBrowser)
        writer.write(isLinked)
        writer.write(UInt64(departures))
    }

    init(_ reader: inout RecordReader) throws(RecordError) {
        target = try reader.optionalString()
        isCrossBrowser = try reader.bool()
        isLinked = try reader.bool()
        guard let count = Int(exactly: try reader.unsigned()) else { throw .malformed }
        departures = count
    }
}

extension FlowRecord {
    private static let tagCount = 16

    /// The handle that leaves from the page which is shown now by one of its questions: a MAC that only the flow's key can
    /// make.
    ///
    /// The flow's id is not in it, because that is a capability, and addresses leave.
    ///
    /// Another one once one of them was used, and for another page.
    func departureHandle(by question: String) -> String {
        // No body of an answer begins with a zero byte, so that no MAC of one is a handle.
        let mac = HMACKey(macKey).authenticate([0] + "go \(step) \(travel.departures) \(question)".utf8)
        return Base64URL.encode(mac.prefix(Self.tagCount))
    }

    /// Whether a text has the form of such a handle.
    static func isHandle(_ text: String) -> Bool { text.isWord(22...22) }

    /// Whether a handle is the one of a question of the page that is shown now.
    func isDeparture(_ handle: String, by question: String) -> Bool {
        constantTimeEquals(Array(departureHandle(by: question).utf8), Array(handle.utf8))
    }
}
