internal import Basics
internal import StorageKit

/// The names of keys and channels.
///
/// The part in braces decides the slot of a key in a cluster: all that one script touches has the same. These share a slot:
/// a session alone, a value alone, the two sets of an index key, and all leases with the last fence. Whatever else belongs to a
/// session (its tickets, flows, tokens and waiting revocations) is a field of its one hash, or a session or value of its own.
struct KeyNames: Sendable {
    private let prefix: String

    init(_ prefix: String) {
        self.prefix = prefix
    }

    func session(_ key: SessionKey) -> [UInt8] { name("s:{\(Base64URL.encode(key.bytes))}") }
    func value(_ key: String) -> [UInt8] { name("v:{\(Base64URL.encode(Array(key.utf8)))}") }
    func lease(_ name: String) -> [UInt8] { self.name("l:{leases}:\(name)") }
    /// The last fence; in one slot with all leases, because each claim of any name makes it grow.
    var fence: [UInt8] { name("f:{leases}") }

    /// The sessions of an index key by the order in which they came, and by their ends.
    func index(_ key: [UInt8]) -> [[UInt8]] {
        let tag = Base64URL.encode(key)
        return [name("i:{\(tag)}"), name("j:{\(tag)}")]
    }

    func channel(_ subject: StoreSubject) -> [UInt8] {
        switch subject {
        case .session(let key): name("c:s:{\(Base64URL.encode(key.bytes))}")
        case .lease(let lease): name("c:l:{leases}:\(lease)")
        }
    }

    private func name(_ rest: String) -> [UInt8] { Array("\(prefix):\(rest)".utf8) }
}
