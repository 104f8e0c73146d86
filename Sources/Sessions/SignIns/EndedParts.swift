import Basics
import StorageKit

/// The records of a session that were ended without its cookie, by the names of their fields.
///
/// Only the cookie opens the table of contents, so its entries for these records stay until a request writes it again.
/// Until then this record, which is read with the table of contents, hides them. What a cookie rotation has kept from
/// before cannot be deleted without the cookie either: this record names it by `formerField(_:of:)`, and hides it for
/// good. It is not sealed: a store that is tampered with could as well lose the records themselves.
struct EndedParts: RecordCodable, Equatable {
    /// The field of the record.
    static let field = "ended"
    static let version: UInt8 = 1

    /// The fields of the tokens and provider sessions that were ended, also of those that a rotation keeps.
    var fields: [String]

    init(_ fields: [String]) { self.fields = Array(Set(fields)).sorted() }

    /// The name of a record that a rotation keeps from before, by the fields of both.
    static func formerField(_ field: String, of rotation: String) -> String { rotation + "/" + field }

    /// The field of the rotation that keeps a record; nil for the name of a record that no rotation keeps.
    static func rotation(of name: String) -> String? {
        guard name.hasPrefix(RotationRecord.prefix) else { return nil }
        let id = name.dropFirst(RotationRecord.prefix.count).prefix { $0 != "/" }
        return RotationRecord.prefix + id
    }

    /// The ended records that a rotation keeps, under the names that they had before it.
    func former(of rotation: String) -> EndedParts {
        let prefix = Self.formerField("", of: rotation)
        return EndedParts(fields.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) })
    }

    /// The record after the table of contents was written without the entries that this one hides.
    ///
    /// `rotation` is the field of the rotation that keeps the table of contents from before, nil if none does; `lives` is
    /// true for the field of a rotation that there still is.
    func settled(by rotation: String?, _ lives: (String) -> Bool) -> EndedParts {
        EndedParts(
            fields.compactMap { name in
                guard let keeper = Self.rotation(of: name) else {
                    return rotation.map { Self.formerField(name, of: $0) }
                }
                return lives(keeper) ? name : nil
            })
    }

    func write(into writer: inout RecordWriter) {
        writer.write(fields) { $0.write($1) }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        fields = try reader.strings()
    }

    /// Adds this record to the fields that are read, if the table of contents or a rotation is among them.
    static func read(with fields: FieldSelection) -> FieldSelection {
        guard case .names(let names) = fields, !names.contains(field),
            names.contains(where: { $0 == MetaRecord.field || $0.hasPrefix(RotationRecord.prefix) })
        else { return fields }
        return .names(names + [field])
    }
}

extension SessionSnapshot {
    /// The record of what was deleted without the cookie; nil if there is none.
    ///
    /// - Returns: A record that cannot be read hides nothing: most of what it names is gone.
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
