import Basics
import Cryptography
import StorageKit
import Testing

@Suite("A session credential")
struct CredentialTests {
    @Test func `is read from the cookie it writes`() throws {
        let credential = SessionCredential.generate()
        let read = try #require(SessionCredential(cookieValue: credential.cookieValue))
        #expect(read == credential)
        #expect(read.sessionKey == credential.sessionKey && read.ticketField == credential.ticketField)
        #expect(credential.cookieValue.utf8.count == 66)
    }

    @Test func `names the session and the ticket by digests`() {
        let credential = SessionCredential.generate()
        #expect(credential.sessionKey.bytes == Digest.hash(credential.tag))
        #expect(credential.ticketField == "ticket:" + Base64URL.encode(Digest.hash(credential.secret)))
    }

    @Test func `keeps the session when it gets a new secret`() {
        let old = SessionCredential.generate()
        let new = old.withNewSecret()
        #expect(new.sessionKey == old.sessionKey && new.tag == old.tag)
        #expect(new.secret != old.secret && new.ticketField != old.ticketField && new != old)
    }

    @Test func `is never the same twice`() {
        let cookies = (0..<1_000).map { _ in SessionCredential.generate().cookieValue }
        #expect(Set(cookies).count == 1_000)
    }

    @Test func `refuses every other spelling`() {
        let good = SessionCredential.generate().cookieValue
        let (tag, secret) = (good.prefix(22), good.suffix(43))
        let bad = [
            "", ".", String(good.dropLast()), good + "A", " " + good, good + " ", "\(tag)\(secret)", "\(tag):\(secret)",
            "\(tag)..\(secret.dropLast())", "\(secret).\(tag)", "\(tag.dropLast())=.\(secret)",
            "\(tag).\(secret.dropLast())=",
            "\(tag.dropLast())+.\(secret)", "\(tag.dropLast())/.\(secret)", "\(tag.dropLast(2))é.\(secret)",
            "\(tag).\(secret.dropLast(2))é", "\"\(tag)\".\(secret)", String(repeating: "A", count: 66),
            String(repeating: ".", count: 66), "\(tag).\(secret)\u{0}",
        ]
        for value in bad { #expect(SessionCredential(cookieValue: value) == nil, "\(value)") }
    }

    @Test func `refuses unused bits that are not zero, so that no cookie has a twin`() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let good = SessionCredential.generate().cookieValue
        for place in [21, 65] {
            let accepted = alphabet.filter { last in
                var characters = Array(good)
                characters[place] = last
                return SessionCredential(cookieValue: String(characters)) != nil
            }
            // The last character of the tag carries 2 bits, that of the secret 4.
            #expect(accepted.count == (place == 21 ? 4 : 16))
        }
    }

    @Test func `does not print itself`() {
        let credential = SessionCredential.generate()
        for text in [
            "\(credential)", String(reflecting: credential), "\([credential])", "\(Optional(credential) as Any)",
        ] {
            #expect(!text.contains(credential.cookieValue.prefix(10)) && text.contains("<secret>"))
        }
        #expect(Mirror(reflecting: credential).children.isEmpty)
    }
}
