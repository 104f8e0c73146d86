internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer

/// The two calls that browsers make of their own accord; pages see neither.
///
/// A browser forgets its binding at any 4xx but a 403 with a challenge, and its user is signed out then: all that is not
/// final is answered with 503.
extension BrowserAPI {
    /// `POST device`: binds the session to the device of its browser.
    func bindDevice(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        guard let device else { throw Problem(.notFound) }
        try checkDeviceCall(call)
        let proof = call.request.headers.single(DeviceCookie.proofField)
        let outcome: DeviceRegistration
        do throws(BFFError) {
            outcome = try await backend.devices.register(proof, audience: device.registrationAddress, call.context())
        } catch {
            throw Self.later(error)
        }
        switch outcome {
        case .bound(let renewal): return .device(try device.instructions(), try device.headers(renewal))
        case .alreadyBound: throw Problem(ProblemType.deviceBound)
        case .refused: throw Problem(ProblemType.deviceProofRefused)
        }
    }

    /// `POST device/refresh`: proves the device of a bound session.
    func proveDevice(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        guard let device else { throw Problem(.notFound) }
        try checkDeviceCall(call)
        // Scripts cannot send the name.
        // rule: the browser itself proves its device
        guard device.isNamed(in: call.request) else { throw Problem(ProblemType.deviceProofRefused) }
        let proof = call.request.headers.single(DeviceCookie.proofField)
        let outcome: DeviceRefresh
        do throws(BFFError) {
            outcome = try await backend.devices.refresh(proof, audience: device.proofAddress, call.context())
        } catch {
            throw Self.later(error)
        }
        switch outcome {
        case .renewed(let renewal): return .device([], try device.headers(renewal))
        case .challenged(let challenge):
            var problem = Problem(ProblemType.deviceChallenge)
            problem.headers = [device.challenge(challenge)]
            throw problem
        case .ended: return .device(device.ending, [try device.removal()])
        case .later:
            var problem = Problem(ProblemType.deviceProofMissing)
            problem.retryAfter = .seconds(1)
            throw problem
        case .refused: throw Problem(ProblemType.deviceProofRequired)
        }
    }

    /// Checks what the two calls have in common: no query, no body, and a rate, whose refusal is not final.
    private func checkDeviceCall(_ call: OperationCall) throws(Problem) {
        _ = try RequestQuery(call.request)
        // rule: a proof of a device has no body
        guard call.request.body.contentLength == 0 else {
            throw Problem(.malformed, "The proof of a device comes in a header field, without a body.")
        }
        do throws(Problem) {
            // Not by address: whoever shares it could keep others from proving their devices.
            // rule: proofs of devices are limited
            try rates.checkSession(call.cookies)
        } catch {
            var problem = Problem(ProblemType.deviceProofMissing)
            problem.retryAfter = error.retryAfter
            throw problem
        }
    }

    /// The problem of a proof that could not be judged.
    private static func later(_ error: BFFError) -> Problem {
        guard error == .sessionChanged else { return Problem(error) }
        var problem = Problem(ProblemType.deviceProofMissing)
        problem.retryAfter = .seconds(1)
        return problem
    }
}
