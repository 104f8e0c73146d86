import HTTPCore
import HTTPServer
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The admin listener")
struct AdminTests {
    private func call(
        _ admin: AdminAPI, _ target: String, _ method: HTTPMethod = .get
    ) async throws -> Answered {
        let answer = Answered(await admin.handle(ServerRequest(method: method, target: target)))
        if let operation = AdminOperation.allCases.first(where: { $0.path == target }), method == .get {
            #expect(try ContractFile.admin.get().faults(answer, of: operation.rawValue) == [])
        }
        return answer
    }

    @Test("says that the process lives and can serve")
    func healthy() async throws {
        let admin = AdminAPI(backend: try APIFixture().backend)
        for method in [HTTPMethod.get, .head] {
            let health = try await call(admin, "/healthz", method)
            #expect(health.status == 200 && health["status"] == "ok")
            let readiness = try await call(admin, "/readyz", method)
            #expect(readiness.status == 200 && readiness["status"] == "ready")
            #expect(readiness.header("cache-control") == "no-store")
        }
    }

    @Test("is not ready while the store is away, and lives all the same")
    func storeOutage() async throws {
        let store = MemoryStore(time: ManualTime())
        let admin = AdminAPI(backend: try APIFixture(store: store).backend)
        await store.close()
        let readiness = try await call(admin, "/readyz")
        #expect(readiness.status == 503 && readiness.problem == "store-unavailable")
        #expect(readiness.header("retry-after") == "5")
        #expect(try await call(admin, "/healthz").status == 200)
    }

    @Test("is not ready once the server stops")
    func stopping() async throws {
        let admin = AdminAPI(backend: try APIFixture().backend)
        admin.beginStopping()
        let readiness = try await call(admin, "/readyz")
        #expect(readiness.status == 503 && readiness.problem == "stopping")
        #expect(try await call(admin, "/healthz").status == 200)
    }

    @Test(
        "has nothing else",
        arguments: [
            "/", "/bff/session", "/healthz/", "/healthz/x", "/HEALTHZ", "/health%7a", "/metrics", "/openapi.yaml", "*",
        ])
    func nothingElse(_ target: String) async throws {
        let admin = AdminAPI(backend: try APIFixture().backend)
        let answer = try await call(admin, target)
        #expect(answer.status == 404 && answer.problem == "not-found")
        let post = try await call(admin, "/healthz", .post)
        #expect(post.status == 405 && post.header("allow") == "GET, HEAD")
    }
}
