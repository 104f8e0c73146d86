internal import CShims

/// Byte-wise search and checks for text from outside.
///
/// The standard library's functions of these names compare characters: they take `;` and a combining mark after it for
/// one character, which is no semicolon. Its `firstRange(of:)` and `contains(_:)` for texts also add its regular
/// expression engine to the program: over a megabyte.
///
/// All work is done on `Substring`, and generic code is inlined: called from another module it costs ten times as much.
extension StringProtocol where SubSequence == Substring {
    /// The range of the first occurrence of a text in this one.
    @inlinable public func firstRange(ofText text: String) -> Range<String.Index>? { self[...].place(of: text) }

    /// True if the bytes of this text begin with the bytes of another.
    @inlinable public func starts<Text: StringProtocol>(withText text: Text) -> Bool
    where Text.SubSequence == Substring {
        self[...].hasBytes(text[...], atEnd: false)
    }

    /// True if the bytes of this text end with the bytes of another.
    @inlinable public func ends<Text: StringProtocol>(withText text: Text) -> Bool where Text.SubSequence == Substring {
        self[...].hasBytes(text[...], atEnd: true)
    }

    /// The parts between the places of an ASCII character, found byte by byte.
    ///
    /// - Parameters:
    ///   - separator: The character; ASCII.
    ///   - maxSplits: How often the text is cut at most.
    ///   - omittingEmptySubsequences: True to leave out empty parts.
    /// - Returns: The parts, in order.
    @inlinable public func split(
        byte separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        self[...].parts(UInt8(ascii: separator), maxSplits, omittingEmptySubsequences)
    }
}

extension Substring {
    @usableFromInline func place(of text: String) -> Range<Index>? {
        let found = bytes { bytes in
            text[...].bytes { sought in
                UnsafeRawBufferPointer(bytes).place(of: UnsafeRawBufferPointer(sought))
            }
        }
        guard let found else { return nil }
        let start = utf8.index(startIndex, offsetBy: found)
        return start..<utf8.index(start, offsetBy: text.utf8.count)
    }

    @usableFromInline func hasBytes(_ text: Substring, atEnd: Bool) -> Bool {
        bytes { bytes in
            text.bytes { sought in
                guard bytes.count >= sought.count else { return false }
                let rest = atEnd ? bytes.suffix(sought.count) : bytes.prefix(sought.count)
                return UnsafeBufferPointer(rebasing: rest).isSame(as: sought)
            }
        }
    }

    @usableFromInline func parts(_ separator: UInt8, _ maxSplits: Int, _ omitting: Bool) -> [Substring] {
        var (parts, start, bytes) = ([Substring](), startIndex, utf8)
        while parts.count < maxSplits, let end = bytes.firstIndex(of: separator) {
            if !omitting || start < end { parts.append(self[start..<end]) }
            start = bytes.index(after: end)
            bytes = bytes[start...]
        }
        if !omitting || start < endIndex { parts.append(self[start...]) }
        return parts
    }

    /// The bytes of this text; copied only where the text does not lie in one piece, which none does on Linux.
    private func bytes<Result>(_ read: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(read) ?? Array(utf8).withUnsafeBufferPointer(read)
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of the first place of other bytes in these; nil when there is none.
    package func place(of sought: UnsafeRawBufferPointer) -> Int? {
        guard let start = baseAddress else { return nil }
        let found = cloakroom_find(start, count, sought.baseAddress ?? start, sought.count)
        return found.map { UnsafeRawPointer($0) - start }
    }
}
