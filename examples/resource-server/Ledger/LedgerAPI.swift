internal import HTTPCore
package import HTTPServer
public import ResourceServer

/// A ledger that protects its routes with `ResourceServer`.
///
/// | Request | Needs |
/// |---|---|
/// | `GET /api/accounts` | a valid token of a user |
/// | `GET /api/transactions` | a valid token of a user |
/// | `POST /api/transactions` | `LedgerAPI.highValue`: a scope, and a strong and recent sign-in |
///
/// The guard decides, this type answers: that is the whole of the work of a resource server.
public struct LedgerAPI: Sendable {
    /// Any valid token of a user: no scope, no strength.
    public static let signedIn = Requirement(name: "signed-in")

    /// What moving money takes.
    ///
    /// The challenge names `gold`, the acr value that callers may ask their provider for; it does not tell which level
    /// that is.
    public static let highValue = Requirement(
        name: "high-value", scopes: ["WRITE_TRANSACTION"], amr: .any(["biometric"]), authLevel: 3,
        maxAge: .age(.seconds(300)), challengeACR: "gold")

    private static let longestBody = 4096

    private let accessGuard: AccessGuard
    private let highValue: Requirement
    private let ledger = Ledger()

    /// An API behind a guard.
    ///
    /// - Parameters:
    ///   - accessGuard: Who checks the tokens.
    ///   - highValue: What moving money takes, where a provider's tokens say other things than those of `highValue`.
    public init(_ accessGuard: AccessGuard, highValue: Requirement = LedgerAPI.highValue) {
        self.accessGuard = accessGuard
        self.highValue = highValue
    }

    /// Answers one request: which route, then who, then what.
    package func handle(_ request: ServerRequest) async -> ServerResponse {
        switch (request.path, request.method) {
        case ("/api/accounts", .get), ("/api/accounts", .head):
            await authorized(request, Self.signedIn) { user in .json(200, ledger.accounts(of: user)) }
        case ("/api/transactions", .get), ("/api/transactions", .head):
            await authorized(request, Self.signedIn) { user in .json(200, ledger.transactions(of: user)) }
        case ("/api/transactions", .post):
            await authorized(request, highValue) { user in await transfer(request, user) }
        case ("/api/accounts", _): .methodNotAllowed("GET, HEAD")
        case ("/api/transactions", _): .methodNotAllowed("GET, HEAD, POST")
        default: .problem(404, "Not found")
        }
    }

    /// Runs the action for callers whose token meets the requirement, and tells all others why it does not.
    private func authorized(
        _ request: ServerRequest, _ requirement: Requirement, _ action: (_ user: String) async -> ServerResponse
    ) async -> ServerResponse {
        // A token in the query ends in logs and histories (RFC 6750 section 5.3); the guard refuses it.
        let query = request.query.flatMap { QueryParameters(parsing: $0) }
        let decision = await accessGuard.decide(
            authorization: request.headers.values("authorization"),
            otherTransports: request.query != nil && query?.all("access_token").isEmpty != true, requirement,
            deadline: request.deadline)
        switch decision {
        case .allow(let facts):
            // A client's own token is valid, but there is nobody whose accounts it could see.
            guard let user = facts.subject, !facts.isClientCredentials else {
                return .challenge(Challenge(.insufficientScope, requirement: requirement))
            }
            return await action(user)
        case .challenge(let challenge):
            return .challenge(challenge)
        case .unavailable:
            // Not the caller's fault, and no reason for anybody to sign in again.
            return .problem(503, "Tokens cannot be checked at the moment", [ResponseHeader("Retry-After", "5")])
        }
    }

    private func transfer(_ request: ServerRequest, _ user: String) async -> ServerResponse {
        guard let type = request.headers.single("content-type"), MediaType(parsing: type)?.isJSON == true else {
            return .problem(415, "Send JSON", [ResponseHeader("Accept-Post", "application/json")])
        }
        do {
            let body = try await request.body.collect(upTo: Self.longestBody)
            let booked = try ledger.book(try Transfer(parsing: body), for: user)
            return .json(201, booked, [ResponseHeader("Location", "/api/transactions")])
        } catch let error as BodyError {
            return error == .tooLarge ? .problem(413, "The body is too large") : .problem(408, "The body did not come")
        } catch let error as TransferError {
            return .problem(error == .malformed ? 400 : 422, error.title)
        } catch {
            return .problem(500, "Something is wrong here")
        }
    }
}
