import Basics
import StorageKit

/// Those of one browser who have left and are waited for, behind the cookie that they bring back.
struct DeparturesRecord: Sendable, Equatable {
    /// One who has left.
    struct Entry: Sendable, Equatable {
        /// The page that they have left from.
        var page: FlowPlace
        /// The name of the target that the flow was started with.
        var target: String?
        /// The `state` that they have to bring back; nil where nobody knows it.
        var state: String?
        var ends: Timestamp
    }

    var entries: [Entry] = []

    /// Adds one who leaves now.
    ///
    /// Who left from the same page before is no longer waited for; nor is, of one client, who left without a `state` before
    /// another one did, as nothing would tell them apart; and of too many the first.
    mutating func add(_ entry: Entry, limit: Int, at now: Timestamp) {
        entries.removeAll { other in
            other.ends <= now || other.page == entry.page
                || entry.state == nil && other.state == nil && other.page.instance.client == entry.page.instance.client
        }
        entries.append(entry)
        // rule: departures have a bound
        entries.removeFirst(max(0, entries.count - limit))
    }

    /// Takes out who comes back to a client with this `state`; else whoever left for it without one.
    mutating func take(_ client: String, state: String?, at now: Timestamp) -> Entry? {
        let mine = entries.indices.filter { entries[$0].page.instance.client == client && now < entries[$0].ends }
        let found = state.flatMap { state in mine.first { entries[$0].state?.isSameText(as: state) == true } }
        guard let index = found ?? mine.first(where: { entries[$0].state == nil }) else { return nil }
        return entries.remove(at: index)
    }
}

/// A page of a flow, which is of one browser session: what somebody leaves from, and what goes on when they are back.
struct FlowPlace: Sendable, Equatable {
    var instance: InstanceName
    var flow: String
    var step: Int
}

extension FlowPlace {
    func write(into writer: inout RecordWriter) {
        writer.write(instance.client)
        writer.write(instance.account)
        writer.write(flow)
        writer.write(UInt64(step))
    }

    init(_ reader: inout RecordReader) throws(RecordError) {
        instance = InstanceName(client: try reader.string(), account: try reader.string())
        flow = try reader.string()
        guard let step = Int(exactly: try reader.unsigned()) else { throw .malformed }
        self.step = step
    }
}

extension DeparturesRecord: RecordCodable {
    static let version: UInt8 = 1

    func write(into writer: inout RecordWriter) {
        writer.write(entries) { writer, entry in
            entry.page.write(into: &writer)
            writer.write(entry.target)
            writer.write(entry.state)
            writer.write(entry.ends)
        }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        entries = try reader.list { reader throws(RecordError) in
            Entry(
                page: try FlowPlace(&reader), target: try reader.optionalString(), state: try reader.optionalString(),
                ends: try reader.timestamp())
        }
    }
}
