internal import Basics
internal import Cryptography
internal import HTTPServer
internal import Synchronization

/// Makes request ids: a random prefix of this process and a number, `9f0c6b1d2e3a4f58-000000000001`.
///
/// The id is in the answer's `X-Request-Id`, in problem documents, in every log line and in requests to the provider.
final class RequestIDs: Sendable {
    private let prefix: [UInt8]
    private let trusted: [AddressRange]
    private let number = Atomic<UInt64>(0)
    private static let digits = Array("0123456789abcdef".utf8)

    init(trusting trusted: [AddressRange]) {
        prefix =
            SecureRandom.bytes(8).flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] } + [
                UInt8(ascii: "-")
            ]
        self.trusted = trusted
    }

    /// The id that a trusted proxy sent, else a new one.
    func id(for request: ServerRequest) -> String {
        if !trusted.isEmpty, trusted.contains(where: { $0.contains(request.peer) }),
            let given = request.headers.single("x-request-id"), Self.isWellFormed(given)
        {
            return given
        }
        return next()
    }

    /// Makes an id that no other request of this process has.
    func next() -> String {
        let number = number.wrappingAdd(1, ordering: .relaxed).newValue
        return String(unsafeUninitializedCapacity: 29) { out in
            _ = out.update(fromContentsOf: prefix)
            for place in 0..<12 { out[28 - place] = Self.digits[Int(number >> UInt64(4 * place) & 15)] }
            return 29
        }
    }

    /// The names of the server's own background work, which stand in the place of a request's id.
    private static let ownWork: Set<String> = ["discovery", "revocation"]

    /// True for 8 to 64 letters, digits, dots, dashes and underscores: fit for logs, header fields and a URI reference.
    private static func isWellFormed(_ id: String) -> Bool {
        !ownWork.contains(id) && 8...64 ~= id.utf8.count
            && id.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: ".") }
    }
}
