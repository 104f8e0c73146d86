import Basics
import Cryptography
import Logs
import Sessions
import StorageKit

/// Writes one line for each event that an operator may have to account for later (docs/audit.md).
///
/// Lines have a label of their own and are JSON, whatever level and form the log has. Users, accounts and sessions
/// appear as hashes under a key of the server: equal values have equal hashes, and no value can be found without the
/// key. A line never holds a token, a cookie, a claim or an answer.
package final class AuditLog: Sendable {
    /// The label of the audit's lines.
    package static let label = "cloakroom.audit"

    private let logger: Logger
    private let key: HMACKey
    private let keyID: String
    private let counts: AuditCounts

    /// Makes the audit log beside the server's log.
    ///
    /// - Parameters:
    ///   - logger: The logger that lines go to; silent for no audit.
    ///   - keys: The server keys; the first one makes the hashes, and its id stands in front of them.
    ///   - counts: The counts of equal events; an audit log of new settings continues with the counts of the one
    ///     before.
    init(_ logger: Logger, _ keys: ServerKeys, _ counts: AuditCounts) {
        self.logger = logger.inJSON(label: Self.label)
        key = keys.authenticationKeys(for: "audit")[0]
        keyID = keys.ids[0]
        self.counts = counts
    }

    /// Writes the line of an event in a request.
    func write(_ event: AuditEvent, _ context: CallContext, _ facts: AuditFacts) {
        var members: Logger.Metadata = ["request.id": .string(context.requestID)]
        if let address = context.address { members["address"] = .string(address) }
        members["session"] = facts.session.map { .string(hash("session", $0.bytes, count: 8)) }
        members["user"] = facts.person.map { .string(hash("user", $0)) }
        if let instance = facts.instance {
            members["client"] = .string(instance.client)
            if !instance.account.isEmpty {
                members["account"] = .string(hash("account", Array(instance.account.utf8), count: 16))
            }
        }
        members["name"] = facts.name.map { .string(hash("name", UserName.folded($0), count: 16)) }
        members["flow"] = facts.flow.map { .string($0.text) }
        members["reason"] = facts.reason.map { .string($0) }
        for (name, value) in facts.more { members[name] = .string(value) }
        let source = [members["session"] ?? members["address"], members["client"], members["account"]]
        write(event, members, source: source.map { $0?.description ?? "" }.joined(separator: " "))
    }

    /// Writes, or counts, that a caller was refused before anything was looked up.
    ///
    /// - Parameters:
    ///   - reason: The rule, of a closed set.
    ///   - address: The caller's address, or the network that stands for all addresses in it.
    ///   - route: The route of the call, of a closed set.
    ///   - requestID: The request's id.
    package func denied(_ reason: String, address: String, route: String, requestID: String) {
        write(
            .caller(.denied),
            [
                "reason": .string(reason), "address": .string(address), "route": .string(route),
                "request.id": .string(requestID),
            ],
            source: address)
    }

    /// Writes an act of an operator.
    package func did(_ act: AuditEvent.AdminAct) {
        write(.admin(act), ["key": .string(keyID)], source: "")
    }

    /// Writes the counts that have waited for a minute, since no further event may come that would write them.
    ///
    /// - Parameter isLast: True to write all counts, because this server ends, or the audit does.
    package func writeCounts(isLast: Bool = false) {
        for (event, members) in counts.due(isLast: isLast) { put(event, members) }
    }

    private func write(_ event: AuditEvent, _ members: Logger.Metadata, source: String) {
        guard event.isCounted else { return put(event, members) }
        if let counted = counts.count(event, members, source: source) { put(event, counted) }
    }

    private func put(_ event: AuditEvent, _ members: Logger.Metadata) {
        var members = members
        members["outcome"] = .string(event.words.outcome)
        logger.log(
            level: event.isAlarm ? .warning : .info, Logger.Message(stringLiteral: event.words.event), metadata: members
        )
    }

    /// Hashes issuer and subject together; the length of the issuer keeps users of different issuers apart, whatever
    /// their names.
    private func hash(_ purpose: String, _ person: AuditFacts.Person) -> String {
        let issuer = Array(person.issuer.utf8)
        let length = (0..<4).map { UInt8(truncatingIfNeeded: issuer.count >> (8 * $0)) }
        return hash(purpose, length + issuer + person.subject.utf8, count: 16)
    }

    /// Makes the key's id, such as `k1`, a dot, and base64url of the first bytes of a MAC.
    ///
    /// The purpose keeps equal texts of two kinds apart.
    private func hash(_ purpose: String, _ bytes: [UInt8], count: Int) -> String {
        keyID + "." + Base64URL.encode(key.authenticate(Array(purpose.utf8) + [0] + bytes).prefix(count))
    }
}
