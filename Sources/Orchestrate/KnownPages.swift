internal import Basics
package import JSON

/// A cache of parsed pages: a provider sends all users the same form, except for the keys around it.
///
/// The parsed form of a text is kept once a second flow is sent the same text, byte for byte. So a text made for one
/// flow, such as a challenge or a QR code, is never kept, however often it comes. The least recently used form is
/// evicted first.
package final class KnownPages<Form: Sendable>: Sendable {
    private struct Known {
        let text: [UInt8]
        let form: Form
        var use: Int
    }

    /// A text that only one flow was sent so far.
    private struct Sighting {
        let hash: Int
        let flow: String
    }

    private struct State {
        var forms: [Int: Known] = [:]
        /// The hashes of texts that one flow was sent; the oldest is overwritten first.
        var sighted: [Sighting] = []
        var oldest = 0
        var uses = 0

        /// True if another flow was sent the text before; otherwise records that this flow was sent it.
        mutating func isSighted(_ hash: Int, by flow: String, atMost limit: Int) -> Bool {
            if let sighting = sighted.first(where: { $0.hash == hash }) { return sighting.flow != flow }
            let sighting = Sighting(hash: hash, flow: flow)
            if sighted.count < limit {
                sighted.append(sighting)
            } else {
                sighted[oldest] = sighting
                oldest = (oldest + 1) % limit
            }
            return false
        }
    }

    private let capacity: Int
    private let longest: Int
    private let state = Locked(State())

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The number of forms that are kept.
    ///   - longest: The longest text of a form that is kept, in bytes.
    package init(capacity: Int = 64, longest: Int = 32 * 1024) {
        self.capacity = capacity
        self.longest = longest
    }

    /// The parsed form of a page, from the cache or made now.
    ///
    /// - Parameters:
    ///   - shown: All members that the form is made of.
    ///   - flow: The name of the flow that the provider sends the page to; nil for a page read from a store.
    ///   - isFilled: True for a page with values of its user, which is not cached; asked only of a page that is not known.
    ///   - make: Makes the form of its first argument; the second is true if the form will be cached.
    /// - Returns: The form of the page.
    /// - Throws: The error that `make` throws.
    package func form<Failure: Error>(
        of shown: JSONObject, sentTo flow: String?, isFilled: @autoclosure () -> Bool = false,
        make: (_ shown: JSONObject, _ isKept: Bool) throws(Failure) -> Form
    ) throws(Failure) -> Form {
        let text = shown.serialized()
        guard text.count <= longest else { return try make(shown, false) }
        // The hash seed is random per process, so an attacker cannot make texts whose hashes collide.
        var hasher = Hasher()
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
        let hash = hasher.finalize()
        let known = state.withLock { state -> Known? in
            guard let known = state.forms[hash] else { return nil }
            state.uses += 1
            state.forms[hash]?.use = state.uses
            return known
        }
        if let known { return known.text.isSame(as: text) ? known.form : try make(shown, false) }
        var isKept = false
        if let flow, !isFilled() {
            isKept = state.withLock { $0.isSighted(hash, by: flow, atMost: 4 * capacity) }
        }
        // Read again, what is kept holds nothing of the answer that it came in.
        guard isKept, let own = (try? JSONValue(parsing: text))?.object else { return try make(shown, false) }
        let form = try make(own, true)
        state.withLock { state in
            state.uses += 1
            if state.forms.count >= capacity, let least = state.forms.min(by: { $0.value.use < $1.value.use }) {
                state.forms[least.key] = nil
            }
            state.forms[hash] = Known(text: text, form: form, use: state.uses)
        }
        return form
    }
}

extension [UInt8] {
    fileprivate func isSame(as other: [UInt8]) -> Bool {
        withUnsafeBufferPointer { bytes in other.withUnsafeBufferPointer { bytes.isSame(as: $0) } }
    }
}
