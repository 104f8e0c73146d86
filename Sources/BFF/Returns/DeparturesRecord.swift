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
        /// How many had left when this one did, itself included.
        var number: UInt64 = 0
        /// A digest of the handle of `resume` that has spent it; nil while somebody is waited for.
        var spentBy: [UInt8]?
    }

    var entries: [Entry] = []
    /// How many have left.
    var count: UInt64 = 0

    /// Adds one who leaves now.
    ///
    /// Who left from the same page before is waited for no more than once; and of too many those go first who have come back.
    mutating func add(_ entry: Entry, limit: Int, at now: Timestamp) {
        let former = entries.first { $0.page == entry.page && $0.spentBy == nil }
        entries.removeAll { $0.ends <= now || $0.page == entry.page }
        count += 1
        var entry = entry
        entry.number = former?.number ?? count
        entries.append(entry)
        // rule: departures have a bound
        while entries.count > limit { entries.remove(at: entries.firstIndex { $0.spentBy != nil } ?? 0) }
    }

    /// Those who are waited for at a client and may have brought this `state`: who left with it, else who left without one.
    ///
    /// Nothing tells the latter apart. Nobody is taken out.
    func awaited(_ client: String, state: String?, at now: Timestamp) -> [Entry] {
        let away = entries.filter { $0.page.instance.client == client && $0.spentBy == nil && now < $0.ends }
        let exact = away.filter { $0.brings(state) }
        return exact.isEmpty ? away.filter { $0.state == nil } : exact
    }

    /// Spends the departure from a page by what came back, once: a handle spends one departure, and a departure takes one
    /// handle, which may be sent again.
    ///
    /// - Parameters:
    ///   - page: The page of the flow that the tab says it left from.
    ///   - arrival: What was brought back.
    ///   - handle: A digest of the handle that it came in.
    /// - Returns: False, with nothing changed, where it is for somebody else.
    mutating func spend(_ page: FlowPlace, by arrival: ArrivalRecord, _ handle: [UInt8]) -> Bool {
        guard let index = entries.firstIndex(where: { $0.page == page }), page.instance.client == arrival.client else {
            return false
        }
        let entry = entries[index]
        guard entry.number <= arrival.departures, entry.spentBy == nil || entry.spentBy == handle,
            !entries.contains(where: { $0.page != page && $0.spentBy == handle })
        else { return false }
        let state = arrival.parameters["state"]
        let isMeant =
            entry.state != nil
            ? entry.brings(state)
            : !entries.contains { $0.page.instance.client == arrival.client && $0.brings(state) }
        guard isMeant else { return false }
        entries[index].spentBy = handle
        return true
    }
}

extension DeparturesRecord.Entry {
    /// Whether it is this `state` that they have to bring back.
    fileprivate func brings(_ other: String?) -> Bool {
        guard let state, let other else { return false }
        return state.isSameText(as: other)
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
    static let version: UInt8 = 2

    func write(into writer: inout RecordWriter) {
        writer.write(count)
        writer.write(entries) { writer, entry in
            entry.page.write(into: &writer)
            writer.write(entry.target)
            writer.write(entry.state)
            writer.write(entry.ends)
            writer.write(entry.number)
            writer.write(entry.spentBy) { $0.write($1) }
        }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        count = try reader.unsigned()
        entries = try reader.list { reader throws(RecordError) in
            Entry(
                page: try FlowPlace(&reader), target: try reader.optionalString(), state: try reader.optionalString(),
                ends: try reader.timestamp(), number: try reader.unsigned(),
                spentBy: try reader.optional { reader throws(RecordError) in try reader.byteString() })
        }
    }
}
