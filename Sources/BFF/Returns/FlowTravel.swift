import Basics
import Cryptography

/// The facts of a flow about redirects to other sites and back.
struct FlowTravel: Sendable, Equatable {
    /// The name of the target that the flow was started with; nil for the first.
    var target: String?
    /// True if the flow began with a link that was opened where no flow waited for it; it then uses nothing that this
    /// browser has.
    var isCrossBrowser = false
    /// True if the flow began with a link, in whichever browser that was opened.
    var isLinked = false
    /// The number of departures from the page that is shown now.
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

    /// The handle for leaving the page that is shown now by one of its questions: a MAC that only the flow's key can
    /// make.
    ///
    /// The handle does not contain the flow's id, because the id is a capability and the address goes to other sites.
    /// The handles change once one of them was used, and with each page.
    func departureHandle(by question: String) -> String {
        // The body of an answer never begins with a zero byte, so no MAC of an answer is a handle.
        let mac = HMACKey(macKey).authenticate([0] + "go \(step) \(travel.departures) \(question)".utf8)
        return Base64URL.encode(mac.prefix(Self.tagCount))
    }

    /// True if a text has the form of a departure handle.
    static func isHandle(_ text: String) -> Bool { text.isWord(22...22) }

    /// True if a handle is the one of a question of the page that is shown now.
    func isDeparture(_ handle: String, by question: String) -> Bool {
        constantTimeEquals(Array(departureHandle(by: question).utf8), Array(handle.utf8))
    }
}
