import HTTPCore
import JSON
import OpenIDConnect
import TestSupport
import Testing

/// A call of the OpenID client whose 4xx may decide about tokens.
enum OpenIDCall: String, CaseIterable, Sendable {
    case exchange, refresh, userinfo, revoke, push, introspection

    var path: String {
        switch self {
        case .exchange, .refresh: "/access_token"
        case .userinfo: "/userinfo"
        case .revoke: "/revoke"
        case .push: "/par"
        case .introspection: "/introspect"
        }
    }
}

@Suite("A 4xx that is no answer of the provider")
struct GatewayPageTests {
    typealias Provider = ScriptedProvider

    static let statuses = [400, 401, 403, 404, 405, 408, 410, 413]

    private func error(of call: OpenIDCall, answered response: ClientResponse) async throws -> OpenIDError? {
        let provider = Provider()
        provider.set {
            $0.document = [
                ("pushed_authorization_request_endpoint", .string(Provider.base + "/par")),
                ("introspection_endpoint", .string(Provider.base + "/introspect")),
            ]
        }
        let client = try provider.client()
        let tokens = try await provider.tokens(of: client)
        let authorization = try await client.authorization(deadline: Provider.soon)
        provider.network.on(call == .userinfo ? .get : .post, Provider.base + call.path, answering: response)
        provider.network.forgetRequests()
        let error = await #expect(throws: OpenIDError.self) {
            switch call {
            case .exchange: _ = try await provider.tokens(of: client)
            case .refresh: _ = try await client.refresh(tokens, deadline: Provider.soon)
            case .userinfo: _ = try await client.userinfo(tokens, deadline: Provider.soon)
            case .revoke: try await client.revoke(tokens, deadline: Provider.soon)
            case .push: _ = try await client.push(authorization, deadline: Provider.soon)
            case .introspection: try await client.tryIntrospection(deadline: Provider.soon)
            }
        }
        #expect(!provider.sent(call.path).isEmpty)
        return error
    }

    @Test("because it is a page, or JSON of a gateway, is none", arguments: OpenIDCall.allCases)
    func page(call: OpenIDCall) async throws {
        for status in Self.statuses {
            for response: ClientResponse in [
                .html("<html>Blocked", status: status), .html(#"{"error":"invalid_grant""#, status: status),
                .json(#"{"message":"no Route matched with those values"}"#, status: status),
                .json(#"{"status":404,"error":"Not Found","path":"/revoke"}"#, status: status),
            ] {
                let error = try await error(of: call, answered: response)
                // A try of an operator's decides about no token, and nothing is at that address.
                if call == .introspection, status == 404 {
                    guard case .rejected(_, 404)? = error else {
                        Issue.record("\(String(describing: error))")
                        continue
                    }
                } else {
                    #expect(error == .noUsableAnswer, "status \(status)")
                }
            }
        }
    }

    @Test("because the provider did not wait for the request is none", arguments: OpenIDCall.allCases)
    func timeout(call: OpenIDCall) async throws {
        for response: ClientResponse in [
            .json(#"{"error":"invalid_grant"}"#, status: 408), ClientResponse(status: 408),
        ] {
            #expect(try await error(of: call, answered: response) == .noUsableAnswer)
        }
    }

    @Test("and one that is the provider's own JSON decides")
    func own() async throws {
        let words: [(OpenIDCall, String, Int, OpenIDError)] = [
            (.exchange, "invalid_grant", 400, .invalidGrant), (.refresh, "invalid_grant", 400, .invalidGrant),
            (.refresh, "invalid_client", 401, .invalidClient), (.userinfo, "invalid_token", 401, .invalidGrant),
            (.userinfo, "not_found", 404, .rejected(code: "not_found", status: 404)),
            (.revoke, "invalid_request", 400, .rejected(code: "invalid_request", status: 400)),
            (.revoke, "invalid_client", 403, .invalidClient),
            (.push, "invalid_request", 400, .rejected(code: "invalid_request", status: 400)),
            (.push, "invalid_client", 401, .invalidClient), (.introspection, "access_denied", 403, .invalidClient),
        ]
        for (call, word, status, expected) in words {
            let answer = ClientResponse.json(#"{"error":"\#(word)"}"#, status: status)
            #expect(try await error(of: call, answered: answer) == expected, "\(call) \(word)")
        }
    }

    @Test("of userinfo may have its word in the challenge alone")
    func challenge() async throws {
        func page(_ challenge: StaticString) -> ClientResponse {
            ClientResponse(
                status: 401, fields: [.wwwAuthenticate: challenge, .contentType: "text/html"],
                body: Array("<html>".utf8))
        }
        #expect(try await error(of: .userinfo, answered: page("Bearer error=\"invalid_token\"")) == .invalidGrant)
        #expect(try await error(of: .userinfo, answered: ClientResponse(status: 401)) == .invalidGrant)
        #expect(try await error(of: .userinfo, answered: page("Basic realm=\"proxy\"")) == .noUsableAnswer)
    }
}
