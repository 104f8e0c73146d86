import Foundation
import HTTPServer
import JSON
import JourneyProduct
import TestSupport
import Testing

@testable import BFF
@testable import BFFAPI

@Suite("A problem")
struct ProblemTests {
    static let pages = ContractFile.root + "docs/problems/"

    @Test("has a page that says what it means and what to do", arguments: ProblemType.allCases)
    func page(_ type: ProblemType) throws {
        let text = try String(contentsOfFile: Self.pages + "\(type.rawValue).md", encoding: .utf8)
        #expect(text.hasPrefix("# \(type.title)\n\n`/problems/\(type.rawValue)` · status \(type.status)\n"))
        #expect(text.contains("\n## What it means\n") && text.contains("\n## What to do\n"))
        let index = try String(contentsOfFile: Self.pages + "README.md", encoding: .utf8)
        #expect(index.contains("| \(type.status) | [`\(type.rawValue)`](\(type.rawValue).md) | \(type.title) |"))
    }

    @Test("has no page without a type")
    func strayPages() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.pages)
        #expect(Set(files) == Set(ProblemType.allCases.map { "\($0.rawValue).md" } + ["README.md"]))
    }

    @Test("has a type that the contract lists")
    func contract() throws {
        let listed = try ContractFile.browsers.get().schema
            .resolve("#/components/schemas/ProblemType")?["x-extensible-enum"]?.array
        #expect(
            Set((listed ?? []).compactMap(\.string)) == Set(ProblemType.allCases.map { "/problems/\($0.rawValue)" }))
    }

    static let errors: [(BFFError, String, Int, Int64?)] = [
        (.unknownInstance, "unknown-instance", 404, nil), (.tooManyAccounts(limit: 8), "too-many-accounts", 409, nil),
        (.signedOut, "signed-out", 401, nil), (.notAllowed(.journey), "not-allowed", 422, nil),
        (.invalidAnswers([PageAnswerProblem(id: "a", code: "required", message: "m")]), "invalid-answers", 422, nil),
        (.flowExpired, "flow-expired", 410, nil),
        (
            .staleStep(node: FlowNode(kind: .journey, flow: nil, .failure(reason: "outcome-unknown", message: nil))),
            "stale-step", 409,
            nil
        ),
        (.stepInProgress, "step-in-progress", 409, 1), (.sessionChanged, "session-changed", 409, 1),
        (.subjectChanged, "subject-changed", 409, nil), (.interactionNeeded, "interaction-needed", 403, nil),
        (
            .stepUpRequired(StepUpOffer(instance: "transaction", goal: "high-value", requirement: nil)),
            "step-up-required", 403, nil
        ),
        (
            .confirmationNeeded(SubjectQuestion(flow: "f_x", step: 2, expiresIn: 120, subject: "s", name: "n")),
            "subject-changed", 409, nil
        ),
        (.deviceProofRequired, "device-proof-required", 401, nil),
        (.deviceProofMissing, "device-proof-missing", 503, 5), (.deviceRequired, "device-required", 403, nil),
        (.stepUpUnavailable, "step-up-unavailable", 403, nil), (.stepUpFailed, "step-up-failed", 403, nil),
        (.providerUnavailable(retryAfter: .milliseconds(1500)), "provider-unavailable", 503, 2),
        (.providerUnavailable(retryAfter: .zero), "provider-unavailable", 503, 1),
        (.providerUnavailable(retryAfter: .seconds(-5)), "provider-unavailable", 503, 1),
        (.providerRefused, "provider-refused", 502, nil),
        (.storeUnavailable(retryAfter: .seconds(5)), "store-unavailable", 503, 5), (.cancelled, "interrupted", 503, 1),
    ]
    static let node = #"{"type":"failure","kind":"journey","reason":"outcome-unknown"}"#

    @Test("says an operation's error in HTTP", arguments: errors.indices)
    func operationErrors(_ index: Int) throws {
        let (error, name, status, retryAfter) = Self.errors[index]
        let problem = Problem(error)
        let document = try JSONValue(parsing: problem.document("request-1"))
        #expect(document["type"]?.string == "/problems/\(name)")
        #expect(document["status"]?.int == Int64(status) && problem.type.status == status)
        #expect(document["instance"] == "request-1")
        #expect(document["retryAfter"]?.int == retryAfter && problem.retrySeconds == retryAfter)
        #expect(document["node"]?.text == (name == "stale-step" ? Self.node : nil))
        let schema = try ContractFile.browsers.get().schema
        #expect(schema.faults(in: document, ["$ref": "#/components/schemas/Problem"]) == [])
    }

    @Test("says a refusal of the listener in the same form", arguments: RequestError.allCases)
    func refusals(_ refusal: RequestError) async throws {
        let fixture = try APIFixture()
        let admin = AdminAPI(backend: fixture.backend)
        for response in [
            fixture.api.refuse(status: refusal.status, reason: refusal.rawValue),
            admin.refuse(status: refusal.status, reason: refusal.rawValue),
        ] {
            let answer = Answered(response)
            #expect(answer.status == refusal.status)
            #expect(answer.problem != nil)
            #expect((answer.problem == "internal-error") == (refusal == .badResponse))
            #expect(answer.header("cache-control") == "no-store")
            let schema = try ContractFile.browsers.get().schema
            let json = try #require(answer.json)
            #expect(schema.faults(in: json, ["$ref": "#/components/schemas/Problem"]) == [])
            // Who got no answer in time is not told to repeat what may have been done.
            #expect(answer.header("retry-after") == ([.draining, .busy].contains(refusal) ? "1" : nil))
        }
    }

    @Test(
        "says why a body did not come",
        arguments: [
            (BodyError.tooLarge, "body-too-large"), (.timedOut, "request-timeout"), (.disconnected, "interrupted"),
            (.cancelled, "interrupted"),
        ])
    func bodyErrors(_ error: BodyError, _ name: String) {
        #expect(Problem(error).type.rawValue == name)
    }
}
