internal import Basics
internal import Cryptography

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The file of one account: read, replaced and removed as a whole.
struct StorageFile: Sendable {
    /// The longest file that is read, in bytes.
    static let longest = 16 << 20

    let folder: String
    let path: String
    /// The address that an encryptor authenticates: an item that was moved to another account does not open.
    let address: RecordAddress

    /// Makes the file of an account: named after it, or after a digest of it if it is no plain word.
    init(account: String, folder: String) {
        self.folder = folder
        let name = account.isName ? account : "~" + Base64URL.encode(Digest.hash(utf8: account))
        path = folder + "/" + name + ".item"
        address = RecordAddress(session: SessionKey(tag: Array(account.utf8)), field: "item")
    }

    /// The folder given by environment variables; a variable that holds no absolute path counts as unset.
    static func folder(_ environment: (String) -> String?) -> String {
        func variable(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        // A service with several folders has them joined by colons.
        if let state = variable("STATE_DIRECTORY") { return String(state.prefix { $0 != ":" }) }
        let home = variable("XDG_STATE_HOME") ?? (variable("HOME") ?? "") + "/.local/state"
        return home + "/cloakroom"
    }

    /// Runs blocking work on a thread of its own.
    ///
    /// - Throws: The error of the work; `.unavailable` if the system cannot start a thread.
    func onThread<Result: Sendable>(
        _ work: @escaping @Sendable (StorageFile) throws(StorageError) -> Result
    ) async throws(StorageError) -> Result {
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome<Result>, Never>) in
            do {
                try NativeThread("storage", blocksSignals: true) {
                    continuation.resume(returning: Swift.Result { () throws(StorageError) in try work(self) })
                }.detach()
            } catch {
                continuation.resume(returning: .failure(.unavailable))
            }
        }
        return try outcome.get()
    }

    private typealias Outcome<Value> = Swift.Result<Value, StorageError>

    /// The content; nil if the file does not exist.
    func read() throws(StorageError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .unavailable
        }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw .unavailable }
        guard facts.st_size <= Self.longest else { throw .malformed }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { systemRead(file, $0[count...]) }
            guard got > 0 else { throw .unavailable }
            count += got
        }
        return bytes
    }

    /// Replaces the file by a new one, once that is on the disk.
    func write(_ bytes: [UInt8]) throws(StorageError) {
        try makeFolder()
        let draft = path + "." + SecureRandom.token(8)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.error }
        var isDone = false
        defer { if !isDone { unlink(draft) } }
        try Self.fill(file, bytes)
        guard rename(draft, path) == 0 else { throw Self.error }
        isDone = true
        syncFolder()
    }

    /// Removes the file; a missing file is no error.
    func remove() throws(StorageError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .unavailable }
        syncFolder()
    }

    /// Writes all bytes to an open file, flushes it to the disk, and closes it.
    private static func fill(_ file: Int32, _ bytes: [UInt8]) throws(StorageError) {
        defer { close(file) }
        var count = 0
        while count < bytes.count {
            let written = bytes.withUnsafeBytes { systemWrite(file, $0[count...]) }
            guard written > 0 else { throw error }
            count += written
        }
        guard fsync(file) == 0 else { throw error }
    }

    /// Makes the folder and its parents.
    private func makeFolder() throws(StorageError) {
        var place = ""
        for name in folder.split(separator: "/", omittingEmptySubsequences: false) {
            place += name + "/"
            if mkdir(place, 0o700) != 0, errno != EEXIST { throw Self.error }
        }
    }

    /// Flushes the folder's directory entries to the disk; if that fails, the file itself is whole nevertheless.
    private func syncFolder() {
        let place = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard place >= 0 else { return }
        fsync(place)
        close(place)
    }

    private static var error: StorageError { errno == ENOSPC || errno == EDQUOT ? .full : .unavailable }
}

// Declared outside the type, whose own functions have these names.

private func systemRead(_ file: Int32, _ bytes: Slice<UnsafeMutableRawBufferPointer>) -> Int {
    read(file, UnsafeMutableRawBufferPointer(rebasing: bytes).baseAddress, bytes.count)
}

private func systemWrite(_ file: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    write(file, UnsafeRawBufferPointer(rebasing: bytes).baseAddress, bytes.count)
}
