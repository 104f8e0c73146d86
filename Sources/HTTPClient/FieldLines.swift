internal import CCurl
internal import HTTPCore

/// The field lines of a request as a libcurl list; the code that takes `head` must free it.
struct FieldLines: ~Copyable {
    /// The first line of the list; nil while it is empty.
    private(set) var head: UnsafeMutablePointer<curl_slist>?
    /// True if memory sufficed for all lines.
    private(set) var isComplete = true
    private var last: UnsafeMutablePointer<curl_slist>?
    /// The line being written; cleansed, because credentials may be in it.
    private let line = CleansedBuffer()

    init() {
        line.reserve(2048)
    }

    mutating func append(_ field: HTTPField) {
        write(field.name.rawName)
        field.withValueBytes { value in
            if value.isEmpty {
                // libcurl's syntax for a field without a value; a colon would remove the field instead.
                write(";")
            } else {
                write(": ")
                line.append(value)
            }
        }
        end()
    }

    /// Prevents libcurl from adding a field.
    mutating func suppress(_ name: String) {
        write(name)
        write(":")
        end()
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { line.append(UnsafeRawBufferPointer($0)) }
    }

    private mutating func end() {
        write("\0")
        // libcurl scans the list that it appends to, so it is given the last node of ours.
        if let text = line.baseAddress, let extended = curl_slist_append(last, text.assumingMemoryBound(to: CChar.self))
        {
            if head == nil { head = extended }
            last = last?.pointee.next ?? extended
        } else {
            isComplete = false
        }
        line.removeAll()
    }
}
