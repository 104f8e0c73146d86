internal import BFF
internal import DaVinciClient
internal import JSON
internal import Orchestrate

extension DaVinciFlow {
    /// The page as PingOne sent it, without its interaction, links and what no page of ours may show.
    var providerPage: JSONObject? {
        davinciPage.shownStep(withheld: client.credentials(on: davinciPage).withheld)
    }

    /// Reads the answers out of a request as Ping's programs send it.
    func answers(filledIn page: JSONObject) throws(FilledPageError) -> PageAnswers {
        do throws(InvalidAnswersError) {
            let answers = try davinciPage.answers(filledIn: page)
            return PageAnswers(values: answers.values, action: answers.action)
        } catch {
            throw FilledPageError(error.problems.map { PageAnswerProblem($0) })
        }
    }
}
