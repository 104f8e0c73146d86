import Basics
import Cryptography
import Testing

@Suite("Random bytes and comparison")
struct RandomTests {
    @Test("have the length asked for", arguments: [0, 1, 16, 32, 1000])
    func lengths(count: Int) throws {
        #expect(SecureRandom.bytes(count).count == count)
        #expect(Base64URL.decode(SecureRandom.token(count))?.count == count)
    }

    @Test("do not repeat")
    func distinct() {
        #expect(Set((0..<1000).map { _ in SecureRandom.bytes(16) }).count == 1000)
    }

    @Test("are compared whole")
    func comparison() {
        #expect(constantTimeEquals([], []))
        #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
        for other in [[], [1, 2], [1, 2, 4], [0, 2, 3], [1, 2, 3, 0]] as [[UInt8]] {
            #expect(!constantTimeEquals([1, 2, 3], other))
        }
    }
}
