internal import Basics
package import JSON

/// What pages consist of that a provider has sent before: a form is the same for all its users, but for the keys around it.
///
/// What a page is made of is kept once a second flow is sent the same, byte for byte: what is made for one flow, such as a
/// challenge or a code to be scanned, never is, however often it comes. The least used goes first.
package final class KnownPages<Form: Sendable>: Sendable {
    private struct Known {
        let text: [UInt8]
        let form: Form
        var use: Int
    }

    /// A text that one flow alone was sent.
    private struct Sighting {
        let hash: Int
        let flow: String
    }

    private struct State {
        var forms: [Int: Known] = [:]
        /// What one flow was sent, by the hashes of the texts, the oldest overwritten first.
        var sighted: [Sighting] = []
        var oldest = 0
        var uses = 0

        /// Whether another flow was sent the text; notes that this one is.
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

    /// Knows no page yet.
    ///
    /// - Parameters:
    ///   - capacity: How many forms are kept.
    ///   - longest: The longest text of a form that is kept, in bytes.
    package init(capacity: Int = 64, longest: Int = 32 * 1024) {
        self.capacity = capacity
        self.longest = longest
    }

    /// What a page consists of: as kept, or made now.
    ///
    /// - Parameters:
    ///   - shown: All that it is made of.
    ///   - flow: Names the flow that a provider sends it to; nil for a page that comes out of a store.
    ///   - make: Makes it of the first argument; the second says whether it will be kept.
    /// - Returns: What the page consists of.
    /// - Throws: What `make` throws.
    package func form<Failure: Error>(
        of shown: JSONObject, sentTo flow: String?,
        make: (_ shown: JSONObject, _ isKept: Bool) throws(Failure) -> Form
    ) throws(Failure) -> Form {
        let text = shown.serialized()
        guard text.count <= longest else { return try make(shown, false) }
        // The seed is the process's own: nobody can make texts whose hashes agree.
        var hasher = Hasher()
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
        let hash = hasher.finalize()
        let (found, isKept): (Form?, Bool) = state.withLock { state in
            if let known = state.forms[hash] {
                state.uses += 1
                state.forms[hash]?.use = state.uses
                return known.text.isSame(as: text) ? (known.form, false) : (nil, false)
            }
            guard let flow else { return (nil, false) }
            return (nil, state.isSighted(hash, by: flow, atMost: 4 * capacity))
        }
        if let found { return found }
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
