import Glibc
import StorageKit

/// Why a command gave no keys: the errno of its start, or the status it ended with.
struct KeyCommandError: Error {
    var code: Int32
}

/// Server keys from a command that prints a line for each, as `cloakroom keygen` does; the current one first.
func keys(from command: [String]) throws -> ServerKeys {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw KeyCommandError(code: errno) }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var words = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child = pid_t()
    let code = posix_spawnp(&child, command[0], &actions, nil, &words, environ)
    close(ends[1])
    guard code == 0 else { throw KeyCommandError(code: code) }
    var lines = [UInt8](repeating: 0, count: 4096)
    var count = 0
    while count < lines.count {
        let room = lines.count - count
        let got = lines.withUnsafeMutableBytes { read(ends[0], $0.baseAddress?.advanced(by: count), room) }
        guard got > 0 else { break }
        count += got
    }
    var status: Int32 = 0
    guard waitpid(child, &status, 0) == child, status == 0 else { throw KeyCommandError(code: status) }
    let text = String(decoding: lines[..<count], as: UTF8.self)
    return try ServerKeys(text.split(separator: "\n").map { try ServerKey(line: String($0)) })
}
