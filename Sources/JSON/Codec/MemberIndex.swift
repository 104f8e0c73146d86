/// Finds the members of an object by the bytes of their names.
///
/// Small objects are walked; large ones get a table at the first look-up that does not go on where the last one was, so
/// that reading many members costs no square.
final class MemberIndex {
    private static let walked = 16

    let members: [JSONObject.Entry]
    private var last = 0
    private var table: [MemberName: Int] = [:]

    init(_ object: JSONObject) {
        members = object.entries
    }

    func value(_ name: String) -> JSONValue? {
        guard let place = place(name) else { return nil }
        last = place
        return members[place].value
    }

    private func place(_ name: String) -> Int? {
        // The same member is asked for up to three times in a row, and dictionaries ask in order.
        for place in last..<min(last + 2, members.count) where sameBytes(members[place].name, name) { return place }
        if members.count <= Self.walked { return members.firstIndex { sameBytes($0.name, name) } }
        if table.isEmpty {
            table.reserveCapacity(members.count)
            for (place, member) in members.enumerated() { table[MemberName(text: member.name)] = place }
        }
        return table[MemberName(text: name)]
    }
}

/// A name that is compared and hashed by its bytes; by characters, thousands of names could be made to hash alike.
private struct MemberName: Hashable {
    let text: String

    static func == (left: MemberName, right: MemberName) -> Bool { sameBytes(left.text, right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
