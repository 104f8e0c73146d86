import Basics
import JSON
import Testing

@testable import JOSE

/// Claims read by one look-up after the other in the tree, the reference for the one walk of `JWTClaims`.
private struct TreeClaims: Equatable {
    private enum Fault: Error { case type }

    let texts: [String?]
    let audiences: [String]
    let times: [Timestamp?]
    let scopes: [String]?
    let amr: [String]
    let authLevel: Int?

    init(_ json: JSONObject) throws {
        func present(_ name: String) -> JSONValue? {
            // `nil` in place of a value would be `.null`.
            guard let value = json[name], !value.isNull else { return Optional.none }
            return value
        }
        func text(_ name: String) throws -> String? {
            guard let value = present(name) else { return nil }
            guard let text = value.string else { throw Fault.type }
            return text
        }
        func time(_ name: String) throws -> Timestamp? {
            guard let value = present(name) else { return nil }
            if let seconds = value.int { return Timestamp(seconds: seconds) }
            guard let seconds = value.double, abs(seconds) < 1e12 else { throw Fault.type }
            return Timestamp(milliseconds: Int64((seconds * 1000).rounded(.down)))
        }
        texts = try [text("iss"), text("sub"), json["acr"]?.string, json["client_id"]?.string, json["typ"]?.string]
        switch present("aud") {
        case nil: audiences = []
        case .string(let one)?: audiences = [one]
        case .array(let all)?:
            audiences = try all.map {
                guard let text = $0.string else { throw Fault.type }
                return text
            }
        default: throw Fault.type
        }
        times = try [time("exp"), time("nbf"), time("iat")]
        if let value = present("scope") {
            let parts = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
            scopes = parts.flatMap { $0.split(separator: " " as Character).map(String.init) }
        } else {
            scopes = nil
        }
        amr = json["amr"]?.string.map { [$0] } ?? json["amr"]?.array?.compactMap(\.string) ?? []
        if let number = json["auth_level"]?.int {
            authLevel = number >= 0 ? Int(exactly: number) : nil
        } else if let digits = json["auth_level"]?.string, !digits.isEmpty, digits.utf8.allSatisfy({ 48...57 ~= $0 }) {
            authLevel = Int(digits)
        } else {
            authLevel = nil
        }
    }

    init(_ claims: JWTClaims) {
        texts = [claims.issuer, claims.subject, claims.acr, claims.string(.clientID), claims.string(.type)]
        audiences = claims.audiences
        times = [claims.expires, claims.notBefore, claims.issuedAt]
        scopes = claims.scopes
        amr = claims.amr
        authLevel = claims.authLevel
    }
}

/// Random numbers that are the same in each run.
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

@Suite("Claims found by one walk")
struct FlatClaimsTests {
    private static let payloads = [
        #"{"iss":"https://as.example.com","sub":"demo","aud":["https://rs.example.com"],"client_id":"spa","exp":1763000300,"iat":1763000000,"jti":"j1","scope":"read write","auth_time":1762999990,"acr":"gold","amr":["pwd","hwk"],"auth_level":3}"#,
        #"{"sub":"(usr!u)","cts":"OAUTH2_STATELESS_GRANT","subname":"u","iss":"http://127.0.0.1:1","tokenName":"access_token","token_type":"Bearer","aud":"a","nbf":1.5,"grant_type":"authorization_code","scope":["openid","a b",""],"auth_time":1763000000000,"realm":"/alpha","exp":2e9,"iat":1e0,"expires_in":86400,"auth_level":"03"}"#,
        #"{"\u0069ss":"i","aud":null,"scope":" a  b ","exp":null,"nested":{"exp":"not this","iss":1},"amr":"otp","typ":"\u0042earer","events":{},"azp":"x"}"#,
    ]

    @Test("are those of the tree, for good payloads and for thousands of damaged ones")
    func sameAsTree() throws {
        var random = Random(state: 1)
        var taken = 0
        var refused = 0
        let pieces = Self.payloads.map { Array($0.utf8) } + [Array(#"":,[]{}\u00e90123456789e-+.trufalsn"#.utf8)]
        for round in 0..<6000 {
            var bytes = pieces[round % Self.payloads.count]
            for _ in 0..<(round < Self.payloads.count ? 0 : Int.random(in: 1...3, using: &random)) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2:
                    let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
                    let start = Int.random(in: 0..<piece.count, using: &random)
                    bytes.insert(contentsOf: piece[start..<min(start + 12, piece.count)], at: place)
                default: bytes[place] = pieces[3][Int.random(in: 0..<pieces[3].count, using: &random)]
                }
            }
            let tree = (try? JSONValue(parsing: bytes))?.object.flatMap { try? TreeClaims($0) }
            let flat = (try? JWTClaims.parse(bytes)).map { TreeClaims($0) }
            if let flat {
                taken += 1
                #expect(flat == tree)
            } else if let tree {
                // Only `auth_time`, which the reference leaves out, may refuse the others.
                let json = try #require(try JSONValue(parsing: bytes).object)
                #expect(json["auth_time"]?.int == nil && !(json["auth_time"]?.isNull ?? true), "\(tree)")
            }
            if tree == nil { refused += 1 }
        }
        #expect(taken > 1000 && refused > 1000)
    }

    @Test("have a name each, under which the claims of an object are found")
    func names() throws {
        #expect(Set(JWTClaim.allCases.map(\.name)).count == JWTClaim.allCases.count)
        let object = JSONObject(JWTClaim.allCases.map { ($0.name, .string($0.name)) })
        // As texts all but times and audiences are taken.
        for claim in JWTClaim.allCases where ![.expires, .notBefore, .issuedAt, .authTime].contains(claim) {
            let claims = try JWTClaims([claim.name: try #require(object[claim.name])])
            #expect(claims.string(claim) == claim.name && claims.has(claim))
            #expect(JWTClaim.allCases.filter(claims.has) == [claim])
        }
    }
}
