package import Basics
package import StorageKit

/// A revocation that is carried out at a given time unless the sign-in is confirmed by then.
///
/// It is stored before the sign-in waits, so that an unconfirmed sign-in ends whatever happens to its browser, its
/// session and the process that asked for the confirmation.
package struct HeldRevocation: Sendable, Equatable {
    var item: Revocable
    var condition: Condition

    /// The time of the revocation, and the fields of the session that show whether a confirmation has come or can come.
    package struct Condition: Sendable, Equatable {
        /// The earliest time of the revocation.
        var due: Timestamp
        var session: SessionKey
        /// The field of the flow that waits for the confirmation; without this field nothing can be confirmed any more.
        var flow: String
        /// The field that a confirmation leaves in the session.
        var mark: String

        /// Makes the condition of a held revocation.
        package init(due: Timestamp, session: SessionKey, flow: String, mark: String) {
            self.due = due
            self.session = session
            self.flow = flow
            self.mark = mark
        }
    }
}

extension HeldRevocation: RecordCodable {
    /// Higher than the version of `Revocable`: a program that does not know held revocations leaves them to one that
    /// does.
    package static let version: UInt8 = 2

    package func write(into writer: inout RecordWriter) {
        writer.write(item.encoded)
        writer.write(condition.due)
        writer.write(condition.session.bytes)
        writer.write(condition.flow)
        writer.write(condition.mark)
    }

    package init(from reader: inout RecordReader) throws(RecordError) {
        item = try Revocable(decoding: try reader.byteString())
        let due = try reader.timestamp()
        guard let session = SessionKey(bytes: try reader.byteString()) else { throw .malformed }
        condition = Condition(due: due, session: session, flow: try reader.string(), mark: try reader.string())
    }
}

extension RevocationQueue {
    /// True if a revocation that was read from the queue is to be carried out now.
    ///
    /// It is false while a confirmation may still come; once one has come, the revocation is forgotten. Otherwise the
    /// flow is deleted first, so that no confirmation can come after this check.
    ///
    /// - Throws: `.unavailable`.
    package func isFree(_ job: Job) async throws(StoreError) -> Bool {
        guard let condition = job.condition else { return true }
        // rule: a sign-in is not ended while it may be confirmed
        guard time.now() >= condition.due else { return false }
        let snapshot = try await store.read(condition.session, .names([condition.flow, condition.mark]))
        // rule: a sign-in that was confirmed is not ended
        if snapshot[condition.mark] != nil {
            await done([job])
            return false
        }
        guard let flow = snapshot[condition.flow] else { return true }
        do {
            let delete = FieldWrite.delete(condition.flow, expected: .revision(flow.revision))
            try await store.commit(condition.session, .update(writes: [delete]))
            return true
        } catch .gone {
            return true
        } catch .conflict {
            // A confirmation or another request was faster: the next round looks again.
            return false
        }
    }
}
