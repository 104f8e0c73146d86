import Cryptography

/// The identity of a request to answer a step: requests of one identity are one request, which goes to the provider
/// once.
package enum StepIdentity: Sendable {
    /// Answers to the page, by the bytes of the request's body.
    case answers([UInt8])
    /// A return from another site, by its handle.
    case handle(String)
    /// A poll: all polls of a step are one request.
    case poll

    /// The bytes that the MAC covers; no JSON begins with a zero byte, and none is the word `poll`.
    fileprivate var bytes: [UInt8] {
        switch self {
        case .answers(let body): body
        case .handle(let handle): [0] + "resume ".utf8 + handle.utf8
        case .poll: Array("poll".utf8)
        }
    }
}

extension FlowRecord {
    /// The MAC by which a request is recognised as long as the flow lives.
    func mac(of identity: StepIdentity) -> [UInt8] { HMACKey(macKey).authenticate(identity.bytes) }
}
