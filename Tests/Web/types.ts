// Uses every call of the client; TypeScript says if cloakroom.d.ts allows what it should, and refuses what it should.
import { Answers, Cloakroom, Page, Problem, Unreachable, canAutofill, deviceProfile, isPasskey, passkey } from "../../web/client/cloakroom"

async function uses(): Promise<void> {
  const room = new Cloakroom({ base: "/bff", csrfHeader: "X-CSRF", stepUp: async ({ instance, for: demand }) => (instance + demand).length > 0 })
  const end: () => void = room.events()
  room.onChange(({ type, server, limit, expiresIn }) => { if (server && type === "expiring") console.log(limit, expiresIn) })
  room.onChange(({ unchanged, cause }) => console.log(unchanged === false, cause === "idle"))
  end()
  const standard = room.instance("standard", { account: "alice" })
  let page: Page = (await standard.resume()) ?? (await standard.resume(location)) ?? (await standard.restore()) ?? (await standard.start({ journey: "Login" }, { timeout: 1000 }))
  const answers: Answers = page.answers().setName("demo").setPassword("secret").setKBA("q", "a").setChoices(["a"]).setPhone("1")
  page = await standard.next(page, answers.values, "SIGNON", { signal: new AbortController().signal })
  page = await standard.poll(page, (one) => console.log(one.title))
  for (const question of page.questions) {
    if (isPasskey(question) && (await canAutofill())) console.log(await passkey(question, { deviceName: "a" }))
    if (question.go) standard.leave(question)
    console.log(await deviceProfile(question, "id"))
  }
  try {
    const { session, token } = await standard.user({ refresh: true })
    const facts: (number | null)[] = [token.authLevel, token.authTime, token.expiresIn]
    const texts: (string | null | undefined)[] = [token.acr, token.amr.join(), session.realm, session.successUrl]
    // @ts-expect-error a provider may name no lifetime
    const left: number = token.expiresIn
    // @ts-expect-error a provider may name no class of the sign-in
    const acr: string = token.acr
    console.log(facts, texts, left, acr, (await standard.refresh()).subject, (await standard.revoke()).revoked, (await room.session()).authenticated)
    await room.fetch("/api/transactions", { method: "POST", body: "{}", account: "alice" })
    await standard.logout({ session: true })
    await room.logout({ account: "" })
  } catch (error) {
    if (error instanceof Problem) console.log(error.kind, error.retryAfter, error.confirm?.name)
    if (error instanceof Unreachable) console.log(error.reason === "cookies")
  }
  // @ts-expect-error a journey has a name
  await standard.start({ journey: 1 })
  // @ts-expect-error a page is answered with its flow and step
  await standard.next({ flow: "f" }, {})
  // @ts-expect-error there is no such change
  room.onChange(({ type }) => type === "expired")
  // @ts-expect-error the names of the type are exact
  page.answers().setnames("demo")
}
void uses
