internal import Basics

/// Finds the data of chunks (RFC 9112 section 7.1).
///
/// Each byte but data moves one state on, so that a split between any two bytes makes no difference.
struct ChunkScanner {
    private enum Phase {
        case size
        case extensions
        case sizeLineFeed
        case data
        case dataReturn
        case dataLineFeed
    }

    /// The result of a scan.
    enum Found {
        /// Bytes of the body, by their place.
        case data(Range<Int>)
        /// The last chunk ended; trailers follow.
        case last
        /// All bytes were read.
        case more
    }

    private var phase = Phase.size
    private var size = 0
    private var digits = 0
    private var extensionsLeft: Int
    private var bodyLeft: Int

    /// - Parameters:
    ///   - extensions: The bytes of extensions that there may be in all.
    ///   - body: The bytes of data that there may be in all.
    init(extensions: Int, body: Int) {
        extensionsLeft = extensions
        bodyLeft = body
    }

    /// Reads until the next piece of data, the last chunk or the end of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that arrived.
    ///   - at: The next byte to look at; moved on.
    /// - Returns: A piece of data lies within `bytes`.
    /// - Throws: The first problem.
    mutating func scan(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) throws(HTTPCodecError) -> Found {
        while at < bytes.count {
            if phase == .data {
                let piece = at..<(at + min(size, bytes.count - at))
                at = piece.upperBound
                size -= piece.count
                if size == 0 { phase = .dataReturn }
                return .data(piece)
            }
            let byte = bytes[at]
            at += 1
            if try step(byte) { return .last }
        }
        return .more
    }

    /// Takes a byte that is no data.
    ///
    /// - Returns: True after the line of the last chunk.
    private mutating func step(_ byte: UInt8) throws(HTTPCodecError) -> Bool {
        switch phase {
        case .size: try addDigit(byte)
        case .extensions: try skipExtension(byte)
        case .sizeLineFeed:
            // rule: a line feed ends the line of a chunk's size
            guard byte == ByteScan.lineFeed else { throw .bareCarriageReturn }
            guard size > 0 else { return true }
            // rule: chunks together keep the limit of a body
            guard size <= bodyLeft else { throw .bodyTooLarge }
            bodyLeft -= size
            phase = .data
        case .data: break
        case .dataReturn:
            // rule: a carriage return follows the data of a chunk
            guard byte == ByteScan.carriageReturn else { throw .chunkEnd }
            phase = .dataLineFeed
        case .dataLineFeed:
            // rule: a line feed ends the data of a chunk
            guard byte == ByteScan.lineFeed else { throw .chunkEnd }
            (phase, size, digits) = (.size, 0, 0)
        }
        return false
    }

    private mutating func addDigit(_ byte: UInt8) throws(HTTPCodecError) {
        if byte.isHexDigit {
            digits += 1
            // rule: a chunk's size has at most fifteen digits
            guard digits <= 15 else { throw .chunkSize }
            size = size << 4 | Int(byte.isDigit ? byte & 0x0F : (byte & 0x0F) + 9)
            return
        }
        // rule: a chunk's size has a digit
        guard digits > 0 else { throw .chunkSize }
        // rule: a chunk's size does not end with a line feed alone
        if byte == ByteScan.lineFeed { throw .bareLineFeed }
        // rule: nothing but extensions follows a chunk's size
        guard byte == ByteScan.carriageReturn || byte == UInt8(ascii: ";") else { throw .chunkSize }
        phase = byte == ByteScan.carriageReturn ? .sizeLineFeed : .extensions
    }

    private mutating func skipExtension(_ byte: UInt8) throws(HTTPCodecError) {
        if byte == ByteScan.carriageReturn {
            phase = .sizeLineFeed
            return
        }
        // rule: a chunk's extension does not end with a line feed alone
        if byte == ByteScan.lineFeed { throw .bareLineFeed }
        // rule: a chunk's extension has no control character
        if byte < 0x20 && byte != ByteScan.tab || byte == 0x7F { throw .chunkExtension }
        extensionsLeft -= 1
        // rule: chunk extensions are bounded
        if extensionsLeft < 0 { throw .chunkExtensionsTooLarge }
    }
}
