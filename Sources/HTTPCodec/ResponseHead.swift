/// The head of a final answer: its bytes as they came, and where the field lines lie in them.
///
/// No text is made of a field until it is asked for.
package struct ResponseHead: Sendable, Equatable {
    /// The status, 200 to 599.
    package let status: Int
    /// True if the answer is of HTTP/1.0.
    package let isHTTP10: Bool
    /// The bytes from the status line to the empty line.
    package let bytes: [UInt8]
    /// The field lines in order, each occurrence separate.
    package let lines: [FieldLine]

    /// The first field line with a name.
    ///
    /// - Parameter name: The name in lower case.
    /// - Returns: The line; nil if there is none.
    package func firstLine(_ name: StaticString) -> FieldLine? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            return lines.first { ByteScan.equals(base, $0.name.lowerBound, $0.name.upperBound, name) }
        }
    }

    /// The value of the first field line with a name, as text.
    ///
    /// - Parameter name: The name in lower case.
    /// - Returns: The value, bytes that are not UTF-8 replaced; nil if there is no such line.
    package func value(_ name: StaticString) -> String? {
        firstLine(name).map { String(decoding: bytes[$0.value], as: UTF8.self) }
    }

    /// Lends the bytes of each field line's name and value, in order.
    ///
    /// - Parameter body: Gets a name, and a value without the blanks around it; both end with the call.
    package func forEachLine(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { bytes in
            for line in lines {
                body(
                    UnsafeRawBufferPointer(rebasing: bytes[line.name]),
                    UnsafeRawBufferPointer(rebasing: bytes[line.value]))
            }
        }
    }
}

extension ResponseHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the status; values may be secret.
    package var description: String { "\(status), \(lines.count) fields" }
    /// Shows the status; values may be secret.
    package var debugDescription: String { description }
    /// An empty mirror, so that dumping the head prints no value.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
