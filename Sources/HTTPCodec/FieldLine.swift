/// The place of one field line in the bytes of its head.
package struct FieldLine: Sendable, Equatable {
    private let start: UInt32
    private let colon: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32

    init(start: Int, colon: Int, valueStart: Int, valueEnd: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.colon = UInt32(truncatingIfNeeded: colon)
        self.valueStart = UInt32(truncatingIfNeeded: valueStart)
        self.valueEnd = UInt32(truncatingIfNeeded: valueEnd)
    }

    /// The place of the name, a token.
    package var name: Range<Int> { Int(start)..<Int(colon) }
    /// The place of the value, without the blanks around it; may be empty.
    package var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
}
