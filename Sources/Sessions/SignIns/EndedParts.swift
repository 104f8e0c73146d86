import Basics
import StorageKit

/// The records of a session that were deleted without its cookie, by the names of their fields.
///
/// Only the cookie opens the table of contents, so its entries for these records stay until a request writes it again.
/// Until then this record, which is read with the table of contents, hides them. It is not sealed: a store that is
/// tampered with could as well lose the records themselves.
struct EndedParts: RecordCodable, Equatable {
    /// The field of the record.
    static let field = "ended"
    static let version: UInt8 = 1

    /// The fields of the tokens and provider sessions that were deleted.
    var fields: [String]

    init(_ fields: [String]) { self.fields = fields }

    func write(into writer: inout RecordWriter) {
        writer.write(fields) { $0.write($1) }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        fields = try reader.strings()
    }

    /// Adds this record to the fields that are read, if the table of contents is among them.
    static func read(with fields: FieldSelection) -> FieldSelection {
        guard case .names(let names) = fields, names.contains(MetaRecord.field), !names.contains(field) else {
            return fields
        }
        return .names(names + [field])
    }
}

extension SessionSnapshot {
    /// The record of what was deleted without the cookie; nil if there is none.
    ///
    /// - Returns: A record that cannot be read hides nothing, because what it names is gone.
    var endedParts: EndedParts? {
        self[EndedParts.field].flatMap { try? EndedParts(decoding: $0.value) }
    }
}

extension MetaRecord {
    /// The contents without entries whose records were deleted.
    func without(_ ended: EndedParts) -> MetaRecord {
        var rest = self
        rest.tokens.removeAll { ended.fields.contains($0.field) }
        rest.sessions.removeAll { ended.fields.contains($0.field) }
        return rest
    }
}
