package import JSON

/// The names of the members that products read in the bodies of `start` and `resume`.
package struct StartMemberNames: Sendable {
    /// The members of `start`.
    package let start: [String]
    /// The members of `resume` that name a link to a suspended flow; a body has one of them.
    package let links: [String]
    /// The other members of `resume` with a link.
    package let besideLink: [String]

    /// Names the members of a product; there are none by default.
    package init(start: [String] = [], links: [String] = [], besideLink: [String] = []) {
        self.start = start
        self.links = links
        self.besideLink = besideLink
    }

    /// Names the members of all products together.
    package init(_ all: [StartMemberNames]) {
        self.init(
            start: all.flatMap(\.start), links: all.flatMap(\.links), besideLink: all.flatMap(\.besideLink))
    }
}

/// The members of a start that only one product understands, as the browser sent them; its client reads them.
package struct StartMembers: Sendable, Equatable {
    /// The members by name.
    package var values: JSONObject
    /// The name of the member with the link to a suspended flow; nil for none.
    package let link: String?

    /// Makes the members of a start; there are none by default.
    package init(_ values: JSONObject = JSONObject(), link: String? = nil) {
        self.values = values
        self.link = link
    }

    /// Refuses members that the product does not know; a value of `false` counts as absent.
    ///
    /// - Throws: `.notAllowed` with the first unknown member.
    package func allow(only known: [String] = []) throws(BFFError) {
        for (name, value) in values {
            // rule: a product's members are no other product's
            guard known.contains(name) || value == false else {
                throw .notAllowed(StartMember(rawValue: name, isLink: name == link))
            }
        }
    }

    /// Reads a text without control characters; nil when it is missing.
    ///
    /// - Throws: `.malformed` if it is no text, has control characters or is longer than `limit` bytes.
    package func text(_ name: String, upTo limit: Int) throws(BFFError) -> String? {
        guard let value = values[name] else { return nil }
        guard let text = value.string else { throw .malformed(field: name, isWrongType: true) }
        guard text.isPlain(upTo: limit) else { throw .malformed(field: name) }
        return text
    }

    /// Reads a boolean; false when it is missing.
    ///
    /// - Throws: `.malformed` if it is no boolean.
    package func flag(_ name: String) throws(BFFError) -> Bool {
        guard let value = values[name] else { return false }
        guard let flag = value.bool else { throw .malformed(field: name, isWrongType: true) }
        return flag
    }
}

extension String {
    /// True if the text has at most `limit` bytes and no control characters, so that it cannot leave the field that
    /// contains it at the provider.
    package func isPlain(upTo limit: Int) -> Bool {
        utf8.count <= limit && !unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }
    }

    /// True if the text is a path of the origin that shows it; a URL from a provider may go back to an attacker's `goto`.
    package var isOwnPath: Bool {
        let bytes = Array(utf8)
        return bytes.first == UInt8(ascii: "/") && (bytes.count == 1 || bytes[1] != UInt8(ascii: "/"))
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
    }
}
