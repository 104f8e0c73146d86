import Basics
import DaVinciClient
import JSON
import OpenIDConnect
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import BFFAPI
@testable import Sessions

/// Records as the version before wrote them: what `user` answers with and what a step answered were JSON of the API.
@Suite("A record of the version before")
struct FormerRecordTests {
    private let now = Timestamp(seconds: 1_767_225_600)

    /// A user with claims: signed in at `now`, token for 300 s, due for renewal 60 s before that.
    private static let user =
        "010101c0eff9edee660180c6f2edee66000080a0d5edee660100f8017b227375626a656374223a2264656d6f222c2263"
        + "6c61696d73223a7b22737562223a2264656d6f222c226e616d65223a2244c3bc6d6f205c22785c22222c226e223a312e"
        + "31307d2c2273657373696f6e223a7b227265616c6d223a222f616c706861222c227375636365737355726c223a222f61"
        + "6d2f636f6e736f6c65227d2c22746f6b656e223a7b2273636f7065223a5b226f70656e6964222c2270726f66696c6522"
        + "5d2c22616372223a2275726e3a6c6576656c3a31222c22616d72223a5b22707764225d2c22617574684c6576656c223a"
        + "312c226175746854696d65223a313736373232353630302c2265787069726573496e223a"

    /// The same without claims, of a client with limits of its own: 900 s after `now`, and 40 s after its last use.
    private static let limited =
        "010101c0eff9edee660180c6f2edee6601c08ec3eeee660180f10480a0d5edee66000180a0d5edee66bf017b22737562"
        + "6a656374223a2264656d6f222c22636c61696d73223a7b7d2c2273657373696f6e223a7b227265616c6d223a22222c22"
        + "7375636365737355726c223a6e756c6c7d2c22746f6b656e223a7b2273636f7065223a5b226f70656e6964222c227072"
        + "6f66696c65225d2c22616372223a2275726e3a6c6576656c3a31222c22616d72223a5b22707764225d2c22617574684c"
        + "6576656c223a312c226175746854696d65223a313736373232353630302c2265787069726573496e223a"

    /// A flow at its second page, with the answer to the first one: of the versions before, which did not say what it waits for.
    private static let flow =
        "0318665f41414141414141414141414141414141414141414141087374616e646172640080a0d5edee6680bf9eeeee66"
        + "20070707070707070707070707070707070707070707070707070707070707070702000301020300010001024e6f075b"
        + "2261222c315d0101010900137b2274797065223a22636f6e74696e7565227dc0c9dcedee6600"

    /// A user, and a flow that ended with one, whose facts name the product by number.
    private static let userOfNumberedProduct =
        "02010180a0d5edee6601c0f6cdedee660180a0d5edee660180f10480a0d5edee66000180a0d5edee6660010673f09f98805c012f"
        + "7b226e223a312e31302c226f223a7b2278223a5b312c6e756c6c2c747275655d7d2c22636c61696d73223a2279227d0100022f61"
        + "022f78020361226201630104676f6c640203707764036f747001050180a0d5edee6607017b"
    private static let flowOfNumberedProduct =
        "0818665f41414141414141414141414141414141414141414141087374616e6461726405616c6963650301020380a0d5edee6680"
        + "bf9eeeee66200708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526030120090a0b0c0d0e0f10111213"
        + "1415161718191a1b1c1d1e1f20212223242526272890dfdaedee66e00101010c7b2270616765223a312e307d0404666c6167047e"
        + "4167450f6a6f75726e65792e6f7074696f6e73297e417741465447396e615734424141454259514c446e7749455a3239735a4141"
        + "43416d526c416d5675046c697374115b225c75303030305c2278222c222f225d136f726368657374726174652e636f6f6b696573"
        + "607e4151494b59573173596d4e76623274705a5149774d5135686253356c654746746347786c4c6d4e76625145424c774542774d"
        + "6e633765356d42584a766458526c41794c447641746c654746746347786c4c6d4e76625141444c32467441414101809dd6edee66"
        + "010174010102010104686967680104686967682368747470733a2f2f616d2e6578616d706c652e636f6d2f6f61757468322f616c"
        + "70686102c3bc01062f6170692f780103742d3120030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122"
        + "267b225472616e73616374696f6e436f6e646974696f6e416476696365223a5b22742d31225d7d01024e6f075b2261222c315d01"
        + "02200102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20020160010673f09f98805c012f7b226e223a"
        + "312e31302c226f223a7b2278223a5b312c6e756c6c2c747275655d7d2c22636c61696d73223a2279227d0100022f61022f780203"
        + "61226201630104676f6c640203707764036f747001050180a0d5edee6601080a0b80a0d5edee66012005060708090a0b0c0d0e0f"
        + "101112131415161718191a1b1c1d1e1f20212223240301050102030405890101096163636573732dc3a401064265617265720107"
        + "726566726573680102696402066f70656e69640770726f66696c65f6a1d5edee660180da8cf1ee662368747470733a2f2f616d2e"
        + "6578616d706c652e636f6d2f6f61757468322f616c706861036266660a287573722164656d6f290104676f6c640203707764036f"
        + "747001cf0f01060103732d31010d7b226e616d65223a22c3bc227d02c3bc0102c3bc012368747470733a2f2f616d2e6578616d70"
        + "6c652e636f6d2f6f61757468322f616c7068610175011f0668656c642f610b636f6e6669726d65642f61"

    private func bytes(_ hex: String) -> [UInt8] { [UInt8](hex: hex) }

    @Test("or of this one, as it has been stored until now, says what it said", arguments: RecordRow.all)
    func samples(row: RecordRow) throws {
        guard let sample = row.sample else { return }
        #expect(try row.isRead(sample))
        #expect(row.encoded == sample)
    }

    @Test("of a user says what it said, and is written in the form of this version")
    func users() throws {
        let record = try UserRecord(decoding: bytes(Self.user))
        let user = try #require(record.user(UserDocument(), at: now, idle: 1800, absolute: 28_800))
        let expected =
            #"{"subject":"demo","claims":{"sub":"demo","name":"Dümo \"x\"","n":1.10},"#
            + #""session":{"realm":"/alpha","successUrl":"/am/console"},"token":{"scope":["openid","profile"],"#
            + #""acr":"urn:level:1","amr":["pwd"],"authLevel":1,"authTime":1767225600,"expiresIn":300},"#
            + #""expiresIn":{"idle":1800,"absolute":28800}}"#
        #expect(String(decoding: user.body, as: UTF8.self) == expected)
        #expect(record.hasClaims && record.renewFrom == now + .seconds(240) && record.epoch == 1)
        #expect(record.userFacts?.claims?["n"] == .number(JSONNumber(lexeme: "1.10")!))
        #expect(try UserRecord(decoding: record.encoded) == record)

        let limited = try UserRecord(decoding: bytes(Self.limited))
        #expect(!limited.hasClaims && limited.claimsFrom == now && limited.idleLimit == 40_000)
        #expect(limited.limitEnd == now + .seconds(900) && limited.userFacts?.claims == nil)
        let shown = try #require(limited.user(UserDocument(), at: now, idle: 1800, absolute: 28_800))
        let document = try JSONValue(parsing: shown.body)
        #expect(document["claims"] == [:] && document["session"] == ["realm": "", "successUrl": nil])
        #expect(document["expiresIn"] == ["idle": 40, "absolute": 900])
    }

    @Test("of facts, which knew two products by number, says what it said")
    func facts() throws {
        let journey =
            "010673f09f98805c012f7b226e223a312e31302c226f223a7b2278223a5b312c6e756c6c2c747275655d7d2c22636c61696d73223a22"
            + "79227d0100022f61022f78020361226201630104676f6c640203707764036f747001050180a0d5edee66"
        #expect(try UserFacts(decoding: bytes(journey)) == RecordSamples.facts)
        let davinci = "01017500010101016100000000"
        #expect(try UserFacts(decoding: bytes(davinci)) == RecordSamples.flowFacts)
        let elsewhere = "0101750001000001" + "78" + "01016100000000"
        #expect(try UserFacts(decoding: bytes(elsewhere)).session == ["realm": "", "successUrl": nil])
        #expect(throws: RecordError.malformed) { try UserFacts(decoding: bytes("01017500010201016100000000")) }
    }

    @Test("that has such facts in it is read, a user's and a flow's, and its facts say what they said")
    func factsWithin() throws {
        let user = try UserRecord(decoding: bytes(Self.userOfNumberedProduct))
        #expect(user.userFacts == RecordSamples.facts && user.facts != RecordSamples.user.facts)
        let flow = try FlowRecord(decoding: bytes(Self.flowOfNumberedProduct))
        guard case .success(let kept?)? = flow.kept?.outcome else { throw RecordError.malformed }
        #expect(try UserFacts(decoding: kept.facts) == RecordSamples.facts)
        #expect(flow.id == RecordSamples.flow.id && flow.position == RecordSamples.flow.position)
    }

    @Test(
        "of a user with claims beside the rendered ones says what it said, and takes less room in the form of this one")
    func claimsTwice() throws {
        var user = RecordSamples.user
        user.show(RecordSamples.facts, by: UserDocument())
        let size = user.encoded.count
        #expect(user.userFacts == RecordSamples.facts && user.claims != nil)
        #expect(try UserRecord(decoding: user.encoded) == user)

        (user.facts, user.claims) = (RecordSamples.facts.encoded[...], nil)
        let former = [2] + user.encoded.dropFirst().dropLast()
        let read = try UserRecord(decoding: former)
        #expect(read == user && read.userFacts == RecordSamples.facts)
        #expect(size + 40 < former.count)
    }

    /// A renderer that shows no claims.
    private struct Bare: UserRenderer {
        var format: UInt64 { 9 }
        func render(_ user: UserFacts) -> [UInt8] { Array(user.subject.utf8) }
    }

    @Test("of a user keeps claims that are not in the rendered text")
    func claimsNotShown() throws {
        var user = RecordSamples.user
        user.show(RecordSamples.facts, by: Bare())
        #expect(user.claims == nil && user.userFacts == RecordSamples.facts)
        #expect(try UserRecord(decoding: user.encoded).userFacts == RecordSamples.facts)
    }

    @Test("of a user whose claims lie outside of the rendered text is malformed")
    func claimsOutside() throws {
        var user = RecordSamples.user
        user.show(RecordSamples.facts, by: UserDocument())
        let rendered = user.rendered.count
        for place in [rendered..<rendered + 1, rendered + 1..<rendered + 1, 0..<rendered + 1] {
            user.claims = place
            #expect(throws: RecordError.malformed) { try UserRecord(decoding: user.encoded) }
        }
        // No JSON object.
        user.claims = 1..<3
        #expect(try UserRecord(decoding: user.encoded).userFacts == nil)
    }

    @Test("of tokens, of a proof or of a session with an ID token, whose tokens were texts, says what it said")
    func tokenTexts() throws {
        let tokens =
            "01096163636573732dc3a401064265617265720107726566726573680102696402066f70656e69640770726f66696c65f6a1d5edee66"
            + "0180da8cf1ee662368747470733a2f2f616d2e6578616d706c652e636f6d2f6f61757468322f616c706861036266660a28757372"
            + "2164656d6f290104676f6c640203707764036f747001cf0f01060103732d31"
        #expect(try TokenSet(decoding: bytes(tokens)) == RecordSamples.tokens)
        let session =
            "0103732e310103682e70020a616d6c62636f6f6b69650230310e616d2e6578616d706c652e636f6d01012f0101c0c9dcedee6605726f"
            + "7574650322c3bc0b6578616d706c652e636f6d00032f616d0000"
        #expect(try DaVinciSession(decoding: bytes(session)) == RecordSamples.davinciSession)
        let proof =
            "01000106426561726572000000f6a1d5edee66002368747470733a2f2f616d2e6578616d706c652e636f6d2f6f61757468322f61"
            + "6c706861036266660a287573722164656d6f290104676f6c640203707764036f747001cf0f010600"
        #expect(try ProofRecord(decoding: bytes(proof)) == RecordSamples.proof)
    }

    @Test("of a user that is cut or changed does not decode, or to another one; never a crash")
    func damaged() throws {
        let bytes = bytes(Self.user)
        for count in 0..<bytes.count {
            #expect(throws: RecordError.self) { try UserRecord(decoding: Array(bytes.prefix(count))) }
        }
        #expect(throws: RecordError.self) { try UserRecord(decoding: bytes + [0]) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x11
            _ = try? UserRecord(decoding: changed)
        }
    }

    /// Puts bytes in the place of a record, sealed as the server seals them.
    private func put(_ bytes: [UInt8], _ field: String, _ browser: Browser, _ fixture: Fixture) async throws {
        let session = try #require(try await fixture.backend.sessions.open(browser.context(), [field]))
        let sealed = try session.seal.dataKey.encrypt(bytes, at: RecordAddress(session: session.key, field: field))
        try await fixture.store.inner.commit(session.key, .update(writes: [.set(field, sealed)]))
    }

    @Test("of a user leaves the browser signed in, and the next renewal writes it anew", arguments: StoreKind.allCases)
    func signedIn(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let field = "user/journey/s/"
        // Of the clock of this test: it is neither over nor due.
        var former = try UserRecord(decoding: bytes(Self.user))
        former.accessEnd = fixture.time.now() + .seconds(300)
        let head = bytes(Self.user).suffix(former.headCount)
        try await put(former.encodedAsBefore(head), field, browser, fixture)
        for _ in 0..<2 {
            let user = try await browser.user()
            #expect(user["claims"]?["name"] == "Dümo \"x\"" && user["token"]?["expiresIn"] == 300)
        }
        let renewed = try await browser.refreshToken()
        // The claims stay, and what the tokens say is that of the new ones.
        #expect(renewed["claims"]?["name"] == "Dümo \"x\"" && renewed["subject"] == "demo")
        let session = try #require(try await fixture.backend.sessions.open(browser.context(), [field]))
        #expect(session.user(field)?.format == UserDocument().format && session.record(field)?.first == 3)
        #expect(try await browser.user() == renewed)
        #expect(!fixture.log.lines.contains { $0.contains("does not open") })
    }

    /// Tokens in the form of version 1.
    private struct FormerTokens: RecordCodable {
        static let version: UInt8 = 1
        let tokens: TokenSet

        init(_ tokens: TokenSet) { self.tokens = tokens }
        init(from reader: inout RecordReader) throws(RecordError) { tokens = try TokenSet(from: &reader) }

        func write(into writer: inout RecordWriter) {
            writer.write(tokens.accessToken.reveal())
            writer.write(tokens.tokenType)
            writer.write(tokens.refreshToken?.reveal())
            writer.write(tokens.idToken?.reveal())
            writer.write(tokens.scopes) { $0.write($1) }
            writer.write(tokens.issuedAt)
            writer.write(tokens.expiresAt)
            for text in [tokens.issuer, tokens.clientID, tokens.subject] { writer.write(text) }
            writer.write(tokens.acrs) { $0.write($1) }
            writer.write(tokens.amr) { $0.write($1) }
            writer.write(tokens.authTime)
            writer.write(tokens.authLevel) { $0.write(Int64($1)) }
            writer.write(tokens.sessionID)
        }
    }

    @Test(
        "of tokens is renewed where a sign-in is made meanwhile whose cookie never arrives",
        arguments: StoreKind.allCases)
    func renewedBeside(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let field = "token/journey/s/"
        let session = try #require(try await fixture.backend.sessions.open(browser.context(), [field]))
        try await put(FormerTokens(try #require(session.tokens(field))).encoded, field, browser, fixture)
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let tab = Browser(fixture.backend, cookie: browser.cookie)
        let late = Task { try await tab.user() }
        await gate.waitUntilHeld()
        fixture.provider.hold(.refresh, at: nil)
        let page = try await browser.start {
            $0.forceAuth = true
            $0.replace = true
        }
        try await browser.next(try Browser.login(page, "bob"))
        gate.open()
        _ = await late.result
        fixture.time.advance(by: .seconds(60))
        #expect(try await tab.user()["subject"] == "demo")
        await fixture.backend.settled()
        #expect(fixture.provider.reuses == 0 && fixture.provider.grants == ["demo"])
        #expect(fixture.provider.count(.authorize) == 0)
    }

    @Test(
        "of a flow is over, without an alarm; the session stays and another flow begins", arguments: StoreKind.allCases)
    func flows(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let page = try await browser.start { $0.forceAuth = true }
        let id = try #require(page["flow"]?.string)
        for version: UInt8 in [3, 4, 5, 6] {
            try await put([version] + bytes(Self.flow).dropFirst(), FlowRecord.field(id), browser, fixture)
            await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
            await #expect(throws: BFFError.flowExpired) { try await browser.next(try Browser.login(page)) }
        }
        #expect(!fixture.log.lines.contains { $0.contains("does not open") })
        #expect(try await browser.user()["subject"] == "demo")
        try await browser.signIn()
    }
}

extension UserRecord {
    /// The bytes of the document with its length, at the end of the record.
    fileprivate var headCount: Int { 248 + 2 }

    /// The record of version 1 with a document, whose length stands before it.
    fileprivate func encodedAsBefore(_ head: ArraySlice<UInt8>) -> [UInt8] {
        var former = self
        (former.renewFrom, former.facts, former.format, former.rendered) = (nil, [], 0, [])
        // Without facts, format, the rendered text and the place of claims, all of them empty.
        return [FormerUserDocument.version] + former.encoded.dropFirst().dropLast(4) + head
    }
}
