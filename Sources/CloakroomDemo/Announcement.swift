import BFFAPI
import Cloakroom
import Glibc
import IdentitySimulator
import LedgerAPI

/// The output of the demo once it is ready.
struct Announcement {
    private let address: String
    /// The address for a terminal of this machine.
    private let terminal: String
    private let admin: String
    private let simulator: String
    private let ledger: String
    private let asJSON: Bool
    private let hasApp: Bool

    init(
        _ address: String, _ server: Server, _ simulator: Simulator, _ ledger: LedgerServer, asJSON: Bool, hasApp: Bool
    ) {
        self.address = address
        terminal = "http://localhost:\(server.port)"
        admin = "http://127.0.0.1:\(server.adminPort ?? 0)"
        self.simulator = simulator.baseURL
        self.ledger = "http://127.0.0.1:\(ledger.port)"
        self.asJSON = asJSON
        self.hasApp = hasApp
    }

    func print() {
        Swift.print(asJSON ? machineReadable : instructions)
        fflush(nil)
    }

    private var machineReadable: String {
        let addresses = #""cloakroom":"\#(address)","admin":"\#(admin)","simulator":"\#(simulator)""#
        return "ready {\(addresses),\"ledger\":\"\(ledger)\",\"listens\":\"\(terminal)\",\"pid\":\(getpid())}"
    }

    /// The page that the demo's address shows in a browser.
    var page: FrontPage {
        FrontPage(
            title: "Cloakroom, the demo",
            paragraphs: [
                "A backend-for-frontend server for single-page apps that sign users in with Ping Journeys or DaVinci flows, and "
                    + "a simulated identity provider. It is an API: an app calls it, and so can a terminal.",
                "Users are demo, alice and bob, with the password Ch4ng3it!. The contract is at /openapi.yaml. To try an app on "
                    + "it, start the demo with --cors-origin and the app's origin; then the app calls the demo itself, or its "
                    + "dev server passes /bff and /api on: docs/dev-servers.md.",
            ], commands: commands)
    }

    private var instructions: String {
        """

        Open \(address) in a browser\(hasApp ? " for the sample app" : "").

        Cloakroom         \(address)
        its health        \(admin)/readyz
        the provider      \(simulator)  (simulated: journey Login in realm alpha, and flows of PingOne)
        a sample API      \(ledger)  (called through \(address)/api)
        users             demo, alice, bob; password Ch4ng3it!

        \(commands)
        Ctrl-C ends it.

        """
    }

    private var commands: String {
        """
        In another terminal (bash, curl and jq):

          B=\(terminal); C="curl -sS -b jar -c jar -H X-CSRF:1 -H Content-Type:application/json"

          # Begin the journey: the answer is its first page.
          $C $B/bff/standard/start -d '{}' | tee page | jq

          # Answer it.
          jq '{flow, step, values: {IDToken1: "demo", IDToken2: "Ch4ng3it!"}}' page | $C $B/bff/standard/next -d @- | jq

          # Call the API. Moving money needs more: the answer says what to start.
          $C $B/api/accounts | jq
          PAY='{"from":"checking","to":"savings","amount":"12.50"}'
          $C $B/api/transactions -d "$PAY" | jq

          # Step up with the code 424242, and pay.
          $C $B/bff/transaction/start -d '{"for":"high-value"}' | tee page | jq
          jq '{flow, step, values: {IDToken1: "424242"}}' page | $C $B/bff/transaction/next -d @- | jq
          $C $B/api/transactions -d "$PAY" | jq

          # Who is signed in? Renew the token. Sign out.
          $C $B/bff/standard/user | jq
          $C -X POST $B/bff/standard/token/refresh | jq .token
          $C $B/bff/standard/logout -d '{}' -w '%{http_code}\\n'

        The same by flows of PingOne, whose pages have buttons:

          $C $B/bff/workforce/start -d '{}' | tee page | jq
          jq '{flow, step, action: "SIGNON", values: {username: "demo", password: "Ch4ng3it!"}}' page | $C $B/bff/workforce/next -d @- | jq
          $C $B/api/workforce/accounts | jq
          PAY='{"from":"checking","to":"savings","amount":"12.50"}'
          $C $B/bff/workforce-tx/start -d '{"for":"workforce-high-value"}' | tee page | jq
          jq '{flow, step, values: {otp: "424242"}}' page | $C $B/bff/workforce-tx/next -d @- | jq
          $C $B/api/workforce/transactions -d "$PAY" | jq

          # Other policies: {"acrValues":["Mfa"]} to start; docs/simulator.md has them all.

        Make the provider fail, and put it right again:

          curl -sS \(simulator)/simulator/faults -H Content-Type:application/json -d '{"effect":"unavailable"}'
          curl -sS -X DELETE \(simulator)/simulator/faults

        """
    }
}
