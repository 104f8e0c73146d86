internal import Basics
internal import JSON

/// Runs a backchannel transaction: the user that it was made for says yes to it, by a one-time code, once.
///
/// The session of that user stays as it is. Over the session of another user, or without one, it signs in whom it is for.
///
/// Refuses by docs/protocol.md, 'Policy advice'.
struct TransactionJourney: SimulatedJourney {
    private static let unknown = JourneyTurn.answer(
        .amError(401, "Unable to read transaction", detail: ["errorCode": "128"]))

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard let id = run.transaction else { return .refused }
        guard let user = services.elsewhere?.gateway.waiting(id, now: services.now) else { return Self.unknown }
        run.user = user
        var page = SimulatedPage(stage: "OneTimePassword", header: "Confirm what you are about to do")
        page.addPassword("One Time Password")
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard let user = run.user, let id = run.transaction else { return .refused }
        let isRight = answers.text(0) == services.settings.oneTimeCode
        if isRight, services.elsewhere?.gateway.complete(id, now: services.now) != true { return Self.unknown }
        if services.session?.user == user { return .unchanged }
        return isRight ? .success(user: user, level: 0, amr: []) : .refused
    }
}
