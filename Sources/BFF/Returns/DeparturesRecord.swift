import Basics
import Sessions
import StorageKit

/// The departures of one browser that wait for a return, stored behind the cookie that the browser brings back.
struct DeparturesRecord: Sendable, Equatable {
    /// One departure: a user who has left a page for another site.
    struct Entry: Sendable, Equatable {
        /// The page that the user left.
        var page: FlowPlace
        /// The name of the target that the flow was started with.
        var target: String?
        /// The `state` that the return has to bring; nil where it is not known.
        var state: String?
        var ends: Timestamp
        /// The number of departures up to this one, itself included.
        var number: UInt64 = 0
        /// A digest of the handle of `resume` that has spent the departure; nil while the departure waits.
        var spentBy: [UInt8]?
    }

    var entries: [Entry] = []
    /// The number of departures so far.
    var count: UInt64 = 0

    /// Adds a departure.
    ///
    /// An earlier departure from the same page is replaced, and its number is kept while it waits. If there are too
    /// many, spent departures are dropped first, then the oldest.
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

    /// The departures at a client that a return with this `state` may belong to.
    ///
    /// These are the departures with the same `state`, or else all without a `state`, which cannot be told apart. None
    /// is removed.
    func awaited(_ client: String, state: String?, at now: Timestamp) -> [Entry] {
        let away = entries.filter { $0.page.instance.client == client && $0.spentBy == nil && now < $0.ends }
        let exact = away.filter { $0.brings(state) }
        return exact.isEmpty ? away.filter { $0.state == nil } : exact
    }

    /// Spends the departure from a page by a return, once.
    ///
    /// A handle spends one departure, and a departure takes one handle, which may be sent again.
    ///
    /// - Parameters:
    ///   - page: The page of the flow that the tab says it left.
    ///   - arrival: The return.
    ///   - handle: A digest of the return's handle.
    /// - Returns: False, with nothing changed, if the return belongs to another departure.
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
    /// True if the return has to bring this `state`.
    fileprivate func brings(_ other: String?) -> Bool {
        guard let state, let other else { return false }
        return state.isSameText(as: other)
    }
}

/// A page of a flow in one browser session: the page that the user leaves, and that continues after the return.
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
