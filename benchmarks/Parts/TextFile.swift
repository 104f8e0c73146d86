#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A small text file of a benchmark, read and written whole.
struct TextFile {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let path: String

    func read() throws(Failure) -> String {
        guard let file = fopen(path, "re") else { throw failure("read") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
        guard ferror(file) == 0 else { throw failure("read") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Puts the file in place when it is complete: others wait for it to appear.
    func write(_ text: String) throws(Failure) {
        let unfinished = path + ".part"
        guard let file = fopen(unfinished, "we") else { throw failure("write") }
        let bytes = Array(text.utf8)
        let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
        guard fclose(file) == 0, isWritten, rename(unfinished, path) == 0 else { throw failure("write") }
    }

    private func failure(_ verb: String) -> Failure {
        Failure(description: "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
