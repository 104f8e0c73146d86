internal import Basics
internal import CCurl
internal import HTTPTypes

/// A request's field lines in libcurl's list; whoever takes `head` frees it.
struct FieldLines {
    /// The first line.
    private(set) var head: UnsafeMutablePointer<curl_slist>?
    /// Whether memory sufficed for all lines.
    private(set) var isComplete = true

    init() {}

    mutating func append(_ field: HTTPField) {
        var line = [UInt8](field.name.rawName.utf8)
        field.withUnsafeBytesOfValue { value in
            if value.isEmpty {
                // libcurl's way to write a field without a value; a colon would remove the field instead.
                line.append(UInt8(ascii: ";"))
            } else {
                line.append(contentsOf: ": ".utf8)
                line.append(contentsOf: value)
            }
        }
        append(&line)
    }

    /// Keeps libcurl from adding a field.
    mutating func suppress(_ name: String) {
        var line = Array(name.utf8) + [UInt8(ascii: ":")]
        append(&line)
    }

    private mutating func append(_ line: inout [UInt8]) {
        line.append(0)
        // Appending walks the list; there are few lines.
        let extended = line.withUnsafeBytes { curl_slist_append(head, $0.bindMemory(to: CChar.self).baseAddress) }
        if let extended { head = extended } else { isComplete = false }
        cleanse(&line)
    }
}
