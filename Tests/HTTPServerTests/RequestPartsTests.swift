import HTTPCore
import HTTPServer
import Testing

@Suite("The parts of a request")
struct RequestPartsTests {
    @Test func `fields are found by their name in lower case`() {
        let headers = RequestHeaders([("X-One", "1"), ("Two", "2"), ("x-one", "3"), ("Empty", "")])
        #expect(headers.count == 4)
        #expect(headers.first("x-one") == "1")
        #expect(headers.values("x-one") == ["1", "3"])
        #expect(headers.count("x-one") == 2)
        #expect(headers.single("x-one") == nil)
        #expect(headers.single("two") == "2")
        #expect(headers.first("empty") == "")
        #expect(headers.first("three") == nil)
        #expect(headers.first("") == nil)
        #expect(headers.first("X-One") == nil)
        #expect(headers.isSingle("two", "2"))
        #expect(!headers.isSingle("two", "22"))
        #expect(!headers.isSingle("x-one", "1"))
        #expect(!headers.isSingle("three", ""))
        var lengths: [Int] = []
        headers.forEachValue("two") { lengths.append($0.count) }
        headers.forEachValue("three") { lengths.append($0.count) }
        #expect(lengths == headers.values("two").map(\.utf8.count))
        var seen: [String] = []
        headers.forEach { seen.append("\($0)=\($1)") }
        #expect(seen == ["x-one=1", "two=2", "x-one=3", "empty="])
    }

    @Test func `no fields are no fields`() {
        #expect(RequestHeaders().count == 0)
        #expect(RequestHeaders().first("host") == nil)
        #expect(RequestHeaders().values("host").isEmpty)
    }

    @Test(
        arguments: [
            ("/", "/", nil), ("/a?b", "/a", "b"), ("/a?", "/a", ""), ("/a?b?c", "/a", "b?c"), ("*", "*", nil),
            ("", "", nil),
            ("?a", "", "a"),
        ] as [(String, String, String?)])
    func `a target falls into path and query at the first question mark`(
        target: String, path: String, query: String?
    ) {
        let request = ServerRequest(method: .get, target: target)
        #expect(String(request.path) == path)
        #expect(request.query.map(String.init) == query)
    }

    @Test(
        arguments: [
            ([127, 0, 0, 1], "127.0.0.1", true), ([127, 255, 0, 9], "127.255.0.9", true),
            ([128, 0, 0, 1], "128.0.0.1", false),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "::1", true),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "::", false),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1], "127.0.0.1", true),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1], "10.0.0.1", false),
            ([0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "2001:db8::1", false),
            ([0x20, 1, 0xD, 0xB8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1], "2001:db8:0:1::1", false),
            ([0x20, 1, 0xD, 0xB8, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1], "2001:db8:0:1:1:1:1:1", false),
            ([0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "fe80::", false),
            ([0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1], "1:0:0:1::1", false),
            ([], "unknown", false), ([1, 2, 3], "unknown", false),
        ] as [([UInt8], String, Bool)])
    func `an address is written as RFC 5952 says`(bytes: [UInt8], text: String, isLoopback: Bool) {
        let address = PeerAddress(bytes: bytes)
        #expect(address.text == text)
        #expect(address.isLoopback == isLoopback)
    }

    @Test func `a body in memory is collected and read`() async throws {
        #expect(try await RequestBody.empty.collect(upTo: 0) == [])
        #expect(try await RequestBody([1, 2]).collect(upTo: 2) == [1, 2])
        await #expect(throws: BodyError.tooLarge) { try await RequestBody([1, 2]).collect(upTo: 1) }
        var chunks: [[UInt8]] = []
        for try await chunk in RequestBody([1, 2]) { chunks.append(chunk) }
        #expect(chunks == [[1, 2]])
        for try await _ in RequestBody.empty { Issue.record("an empty body has no chunks") }
    }
}
