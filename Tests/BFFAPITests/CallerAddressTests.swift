import HTTPCore
import HTTPServer
import Testing

@testable import BFFAPI

@Suite("The client's address")
struct ClientAddressTests {
    /// Peer, `X-Forwarded-For` fields, and who is taken for the client; 10.0.0.0/8 and fd00::/8 are trusted.
    static let cases: [(String, [String], String)] = [
        ("203.0.113.1", [], "203.0.113.1"),
        ("203.0.113.1", ["198.51.100.1"], "203.0.113.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["192.0.2.9, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["192.0.2.9", "198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["192.0.2.9, 198.51.100.1, 10.9.9.9"], "198.51.100.1"),
        ("10.0.0.1", ["192.0.2.9 ,\t198.51.100.1 ,10.9.9.9, fd00::1"], "198.51.100.1"),
        ("10.0.0.1", ["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
        ("10.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("10.0.0.1", ["[2001:db8::1]"], "2001:db8::1"),
        ("10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("10.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1, unknown"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1, evil, 10.3.3.3"], "10.3.3.3"),
        ("10.0.0.1", ["198.51.100.1,"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1:"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1:999999"], "10.0.0.1"),
        ("10.0.0.1", ["2001:db8::1:4711x"], "10.0.0.1"),
        ("10.0.0.1", ["0198.51.100.1"], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("fd00::5", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1, " + Array(repeating: "10.0.0.2", count: 40).joined(separator: ", ")], "10.0.0.2"),
    ]

    @Test("is what the last trusted proxy saw", arguments: cases.indices)
    func forwarded(_ index: Int) throws {
        let (peer, fields, expected) = Self.cases[index]
        let trusted = try ["10.0.0.0/8", "fd00::/8"].map { try #require(AddressRange($0)) }
        let request = ServerRequest(
            method: .get, target: "/", headers: RequestHeaders(fields.map { (name: "X-Forwarded-For", value: $0) }),
            peer: try #require(PeerAddress(text: peer)))
        #expect(CallerAddress.of(request, trusting: trusted).text == expected)
    }

    @Test(
        "belongs to a range",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("192.0.2.128/25", "192.0.2.200", true),
            ("192.0.2.128/25", "192.0.2.100", false), ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("0.0.0.0/0", "203.0.113.1", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
            ("::/0", "203.0.113.1", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
            ("2001:db8::/33", "2001:db8:8000::1", false), ("::1", "::1", true), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
        ])
    func ranges(_ range: String, _ address: String, _ isInside: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(PeerAddress(text: address))) == isInside)
        #expect(!range.contains(PeerAddress(bytes: [])))
    }

    @Test(
        "has no range of another form",
        arguments: [
            "", "10", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0/8/8",
            "10.0.0.0/+8",
            "2001:db8::/129", "2001:db8::1/32", "localhost", "10.0.0.0/a", "/8", "10.0.0.0 /8", "::1%eth0", "*",
            "10.0.0.0/255.0.0.0",
        ])
    func badRanges(_ text: String) {
        #expect(AddressRange(text) == nil)
    }
}
