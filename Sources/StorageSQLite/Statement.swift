internal import CSQLite

/// A prepared statement; used on the thread of its connection only.
final class Statement {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) {
        self.raw = raw
    }

    deinit {
        sqlite3_finalize(raw)
    }

    /// Binds the values in order and runs the statement, passing each row to the body.
    func run(
        _ values: [SQLValue], row: (Row) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) {
        defer {
            sqlite3_reset(raw)
            sqlite3_clear_bindings(raw)
        }
        for (index, value) in values.enumerated() {
            let code = value.bind(to: raw, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw .code(code) }
        }
        while true {
            let code = sqlite3_step(raw)
            switch code {
            case SQLITE_ROW: try row(Row(raw: raw))
            case SQLITE_DONE: return
            default: throw .code(code)
            }
        }
    }
}

/// A value for a statement.
enum SQLValue {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    case null

    fileprivate func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        // SQLite copies the bytes before the call returns (SQLITE_TRANSIENT, a macro that Swift cannot import).
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch self {
        case .integer(let value): return sqlite3_bind_int64(statement, index, value)
        case .text(var value):
            return value.withUTF8 { buffer in
                buffer.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(
                        statement, index, $0.baseAddress, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let value):
            // A nil pointer would bind NULL.
            guard !value.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
            return sqlite3_bind_blob64(statement, index, value, UInt64(value.count), transient)
        case .null: return sqlite3_bind_null(statement, index)
        }
    }
}

/// The current row of a statement; valid only inside the body that receives it.
struct Row {
    fileprivate let raw: OpaquePointer

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(raw, column)
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(raw, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column))))
    }

    func text(_ column: Int32) -> String {
        String(decoding: blob(column), as: UTF8.self)
    }
}
