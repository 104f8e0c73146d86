internal import CCurl
internal import HTTPCore

/// A request's field lines in libcurl's list; whoever takes `head` frees it.
struct FieldLines: ~Copyable {
    /// The first line of the list; nil while it is empty.
    private(set) var head: UnsafeMutablePointer<curl_slist>?
    /// Whether memory sufficed for all lines.
    private(set) var isComplete = true
    private var last: UnsafeMutablePointer<curl_slist>?
    /// The line that is being written; credentials may have been in it.
    private let line = CleansedBuffer()

    init() {
        line.reserve(2048)
    }

    mutating func append(_ field: HTTPField) {
        write(field.name.rawName)
        field.withValueBytes { value in
            if value.isEmpty {
                // libcurl's way to write a field without a value; a colon would remove the field instead.
                write(";")
            } else {
                write(": ")
                line.append(value)
            }
        }
        end()
    }

    /// Keeps libcurl from adding a field.
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
        // libcurl walks the list that it appends to, so it is given the end of ours.
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
