import Basics
import Cryptography
import Sessions

/// The sign-ins that a client has seen, as digests: the id of events, by which a client that connects again is told
/// what has changed meanwhile.
///
/// It opens nothing and is not secret: a client that invents one is told other changes of its own session, beside the
/// state as it is.
struct EventMark: Sendable, Equatable {
    /// One sign-in of a mark.
    private struct Entry: Equatable {
        static let nameLength = 4
        static let partLength = 3
        static let length = nameLength + 2 * partLength

        let name: [UInt8]
        let signIn: [UInt8]
        let token: [UInt8]

        init(_ signIn: SessionView.SignIn) {
            name = Self.name(signIn.instance)
            self.signIn = Self.digest(String(signIn.signedInAt.milliseconds), Self.partLength)
            token = Self.digest(String(signIn.accessEnd?.milliseconds ?? 0), Self.partLength)
        }

        init(_ bytes: ArraySlice<UInt8>) {
            name = Array(bytes.prefix(Self.nameLength))
            signIn = Array(bytes.dropFirst(Self.nameLength).prefix(Self.partLength))
            token = Array(bytes.suffix(Self.partLength))
        }

        static func name(_ instance: InstanceName) -> [UInt8] { digest(instance.text, nameLength) }

        private static func digest(_ text: String, _ count: Int) -> [UInt8] {
            Array(Digest.hash(utf8: text).prefix(count))
        }
    }

    /// Sign-ins beyond so many are not in a mark, so that it stays short.
    private static let most = 32
    /// The first characters of the text: the version of its form.
    private static let version = "1."

    private let entries: [Entry]

    /// The mark of the sign-ins that a look found.
    init(_ view: SessionView) {
        entries = view.signIns.prefix(Self.most).map { Entry($0) }
    }

    /// Reads a mark that a client sent; nil for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= 512, text.utf8.starts(with: Self.version.utf8),
            let bytes = Base64URL.decode(Array(text.utf8.dropFirst(Self.version.utf8.count))),
            bytes.count.isMultiple(of: Entry.length), bytes.count <= Self.most * Entry.length
        else { return nil }
        entries = stride(from: 0, to: bytes.count, by: Entry.length).map { Entry(bytes[$0..<($0 + Entry.length)]) }
    }

    /// The text of the mark, of characters that an event's id may have.
    var text: String {
        Self.version + Base64URL.encode(entries.flatMap { $0.name + $0.signIn + $0.token })
    }

    /// The changes from the sign-ins of the mark to those of a look.
    ///
    /// - Parameters:
    ///   - view: The look.
    ///   - candidates: The instances that may have been signed in; others are not known by their digests.
    ///   - now: The time of the look.
    /// - Returns: The events; the reasons of sign-outs are unknown.
    func changes(to view: SessionView, candidates: [InstanceName], at now: Timestamp) -> [SessionEvent] {
        var events: [SessionEvent] = []
        for signIn in view.signIns.prefix(Self.most) {
            let entry = Entry(signIn)
            guard let former = entries.first(where: { $0.name == entry.name }) else {
                events.append(.signedIn(signIn.instance))
                continue
            }
            if former.signIn != entry.signIn {
                events.append(.steppedUp(signIn.instance))
            } else if former.token != entry.token {
                events.append(.refreshed(signIn.instance, tokenExpiresIn: signIn.accessEnd?.secondsLeft(at: now)))
            }
        }
        for candidate in candidates where view.signIn(candidate) == nil {
            let name = Entry.name(candidate)
            if entries.contains(where: { $0.name == name }) { events.append(.signedOut(candidate, nil)) }
        }
        return events
    }
}
