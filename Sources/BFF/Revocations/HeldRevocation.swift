import Basics
import StorageKit

/// Something that is ended at a provider at a time, unless a confirmation has come by then.
///
/// It is written down before the sign-in waits, so that one that is not confirmed ends whatever becomes of its browser,
/// its session and the process that asked.
struct HeldRevocation: Sendable, Equatable {
    var item: Revocable
    var condition: Condition

    /// Until when, and how it is known that a confirmation has come.
    struct Condition: Sendable, Equatable {
        /// Not before this time.
        var due: Timestamp
        var session: SessionKey
        /// The field of the flow that waits: without it, nothing can be confirmed any more.
        var flow: String
        /// The field that a confirmation leaves in the session.
        var mark: String
    }
}

extension HeldRevocation: RecordCodable {
    /// Above that of `Revocable`: a program that knows no such revocations leaves them to one that does.
    static let version: UInt8 = 2

    func write(into writer: inout RecordWriter) {
        writer.write(item.encoded)
        writer.write(condition.due)
        writer.write(condition.session.bytes)
        writer.write(condition.flow)
        writer.write(condition.mark)
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        item = try Revocable(decoding: try reader.byteString())
        let due = try reader.timestamp()
        guard let session = SessionKey(bytes: try reader.byteString()) else { throw .malformed }
        condition = Condition(due: due, session: session, flow: try reader.string(), mark: try reader.string())
    }
}

extension Revocations {
    /// True if a revocation that was read is to be carried out now.
    ///
    /// Of one that a confirmation may still save, it is not; once one has come, the revocation is forgotten. Else the flow goes
    /// first, so that no confirmation comes after this look.
    ///
    /// - Throws: `.unavailable`.
    func isFree(_ job: RevocationQueue.Job) async throws(StoreError) -> Bool {
        guard let condition = job.condition else { return true }
        // rule: a sign-in is not ended while it may be confirmed
        guard environment.now() >= condition.due else { return false }
        let snapshot = try await environment.store.read(condition.session, .names([condition.flow, condition.mark]))
        // rule: a sign-in that was confirmed is not ended
        if snapshot[condition.mark] != nil {
            await queue.done([job])
            return false
        }
        guard let flow = snapshot[condition.flow] else { return true }
        do {
            let delete = FieldWrite.delete(condition.flow, expected: .revision(flow.revision))
            try await environment.store.commit(condition.session, .update(writes: [delete]))
            return true
        } catch .gone {
            return true
        } catch .conflict {
            // A confirmation was faster, or something else: the next round looks again.
            return false
        }
    }
}
