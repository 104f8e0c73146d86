internal import Basics
public import StorageKit

extension RedisStore {
    /// See `ByteStore.read`; one command, with no script.
    public func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot {
        let key = keys.session(session)
        switch fields {
        case .all:
            let reply = try await ask(RedisCommand("HGETALL", arguments: [key]), isRepeatable: true)
            guard case .array(let parts) = reply, parts.count % 2 == 0 else { throw malformed() }
            var found: [[UInt8]: [UInt8]] = [:]
            for place in stride(from: 0, to: parts.count, by: 2) {
                guard case .string(let name) = parts[place], case .string(let value) = parts[place + 1] else {
                    throw malformed()
                }
                found[name] = value
            }
            // rule: a hash without the marks of a session is none, and no absent session
            guard parts.isEmpty || found[[Self.endMark]] != nil || found[[Self.tombstoneMark]] != nil else {
                throw malformed()
            }
            let names = found.keys.filter { $0.starts(with: Self.rowMark) }.map { Array($0.dropFirst(2)) }
            return try snapshot(found[[Self.endMark]], names) { found[$0] }
        case .names(let asked):
            var names: [[UInt8]] = []
            for name in asked.map({ Array($0.utf8) }) where !names.contains(name) { names.append(name) }
            let reply = try await ask(
                RedisCommand("HMGET", arguments: [key] + Self.fields(of: names)), isRepeatable: true)
            return try snapshot(reply, names)
        }
    }

    /// The fields of a hash that hold the end of a session and its fields of these names.
    static func fields(of names: [[UInt8]]) -> [[UInt8]] {
        [[endMark]] + names.flatMap { [rowMark + $0, valueMark + $0] }
    }

    /// The session in an answer with the values of `fields(of:)`.
    func snapshot(_ reply: RedisReply, _ names: [[UInt8]]) throws(StoreError) -> SessionSnapshot {
        let fields = Self.fields(of: names)
        guard case .array(let parts) = reply, parts.count == fields.count else { throw malformed() }
        var found: [[UInt8]: [UInt8]] = [:]
        for (name, part) in zip(fields, parts) {
            switch part {
            case .string(let value): found[name] = value
            case .null: break
            default: throw malformed()
            }
        }
        // rule: fields without a session are no absent session
        guard found.isEmpty || found[[Self.endMark]] != nil else { throw malformed() }
        return try snapshot(found[[Self.endMark]], names) { found[$0] }
    }

    private static let endMark = UInt8(ascii: "e")
    private static let tombstoneMark = UInt8(ascii: "t")
    private static let rowMark = Array("r:".utf8)
    private static let valueMark = Array("v:".utf8)

    private func snapshot(
        _ end: [UInt8]?, _ names: [[UInt8]], _ field: ([UInt8]) -> [UInt8]?
    ) throws(StoreError) -> SessionSnapshot {
        // A mark of an ended session has no end.
        guard let end else { return .absent }
        let now = now
        guard let expires = StoredTime.number(end, as: Int64.self) else { throw malformed() }
        var entries: [SessionSnapshot.Entry] = []
        for name in names {
            guard let row = field(Self.rowMark + name) else { continue }
            let parts = row.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard parts.count == 3, let revision = StoredTime.number(parts[0], as: UInt64.self),
                let fieldEnd = StoredTime.number(parts[1], as: Int64.self), let value = field(Self.valueMark + name)
            else { throw malformed() }
            guard fieldEnd > now else { continue }
            entries.append(
                .init(
                    name: String(decoding: name, as: UTF8.self), field: StoredField(value: value, revision: revision)))
        }
        guard expires > now else { return .absent }
        return SessionSnapshot(exists: true, entries: entries, expires: Timestamp(milliseconds: expires))
    }

    /// See `ByteStore.commit`; one script.
    @discardableResult
    public func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64] {
        let conditions = commit.writes.filter { $0.expected != .any }
        let deciding = commit.mode == .end ? [] : commit.decidingWrites
        let tells = !commit.writes.isEmpty || commit.mode == .end
        let command = RedisCommand.script(
            .commit, keys: [keys.session(session)],
            arguments: arguments(session, commit, conditions, deciding, tells: tells), byText: false)
        guard case .array(let parts) = try await ask(command), let word = parts.first?.bytes else { throw malformed() }
        switch (String(decoding: word, as: UTF8.self), parts.dropFirst().first) {
        case ("gone", nil): throw .gone
        case ("full", nil): throw .full
        case ("conflict", .integer(0)?): throw .conflict(field: "")
        // rule: a conflict is one of a condition of the commit
        case ("conflict", .integer(let number)?) where number > 0 && number <= conditions.count:
            throw .conflict(field: conditions[Int(number) - 1].field)
        case ("done", .string(let digits)?):
            // rule: the revisions of a commit are numbers that the script can give
            guard let started = StoredTime.number(digits, as: UInt64.self), started <= StoredTime.never else {
                throw malformed()
            }
            if tells { tell(.session(session)) }
            return revisions(deciding, after: started)
        default: throw malformed()
        }
    }

    private func revisions(_ writes: [FieldWrite], after started: UInt64) -> [String: UInt64] {
        var (last, revisions) = (started, [String: UInt64]())
        for write in writes {
            guard case .set = write.change else { continue }
            last += 1
            revisions[write.field] = last
        }
        return revisions
    }

    private func arguments(
        _ session: SessionKey, _ commit: SessionCommit, _ conditions: [FieldWrite], _ deciding: [FieldWrite],
        tells: Bool
    ) -> [[UInt8]] {
        let now = now
        let mode =
            switch commit.mode {
            case .create: "c"
            case .update: "u"
            case .end: "e"
            }
        var arguments: [[UInt8]] = [
            StoredTime.text(now), Array(mode.utf8), commit.expires.map { Array(String($0.milliseconds).utf8) } ?? [],
            Array(String(limits.sessionBytes).utf8),
            StoredTime.text((Timestamp(milliseconds: now) + limits.tombstoneLifetime).milliseconds),
            tells ? Array("PUBLISH".utf8) : [], keys.channel(.session(session)), Array(String(conditions.count).utf8),
        ]
        for write in conditions {
            arguments.append(Array(write.field.utf8))
            if case .revision(let revision) = write.expected {
                arguments.append(Array(String(revision).utf8))
            } else {
                arguments.append([UInt8(ascii: "-")])
            }
        }
        for write in deciding {
            precondition(1...65_535 ~= write.field.utf8.count, "a field name has 1 to 65,535 bytes")
            arguments.append(Array(write.field.utf8))
            switch write.change {
            case .set(let value, let expires):
                arguments += [[UInt8(ascii: "s")], StoredTime.text(expires?.milliseconds ?? StoredTime.never), value]
            case .delete: arguments += [[UInt8(ascii: "d")], [], []]
            }
        }
        return arguments
    }
}
