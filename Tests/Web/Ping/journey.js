// A page on journey-client and oidc-client: passkeys, another provider, and a payment that needs a step-up.
import { journey, callbackType } from '@forgerock/journey-client'
import { WebAuthn, WebAuthnStepType } from '@forgerock/journey-client/webauthn'
import { oidc } from '@forgerock/oidc-client'
import { clear, field, handle, pays, press, query, say } from './shown.js'

const requestMiddleware = [(request, action, next) => { request.headers.set('X-CSRF', '1'); next() }]
const wellknown = `${location.origin}/bff/standard/am/oauth2/alpha/.well-known/openid-configuration`
const client = await journey({ config: { serverConfig: { wellknown } }, requestMiddleware })

async function show(step) {
  clear()
  if ('error' in step) return say(`Broken: ${step.message}`)
  if (step.type === 'LoginFailure') return say(`Failed: ${step.getMessage() ?? ''}`)
  if (step.type === 'LoginSuccess') return signedIn()
  const next = async () => show(await client.next(step))
  for (const one of step.callbacks) {
    if (one.getType() === callbackType.NameCallback) field('Name', 'text', (value) => one.setName(value))
    if (one.getType() === callbackType.PasswordCallback) field('Password', 'password', (value) => one.setPassword(value))
    if (one.getType() === callbackType.RedirectCallback) return press('Leave', async () => client.redirect(step))
  }
  const kind = WebAuthn.getWebAuthnStepType(step)
  if (kind === WebAuthnStepType.Registration) return press('Make a passkey', async () => { await WebAuthn.register(step, 'Phone'); await next() })
  if (kind === WebAuthnStepType.Authentication) return press('Use a passkey', async () => { await WebAuthn.authenticate(step); await next() })
  return press('Next', next)
}

async function signedIn() {
  const tokens = await oidc({ config: { clientId: 'spa', redirectUri: `${location.origin}/callback`, scope: 'openid profile',
    serverConfig: { wellknown } }, requestMiddleware })
  const { code, state } = await tokens.authorize.background()
  const set = await tokens.token.exchange(code, state)
  const user = await tokens.user.info()
  say(`Hello ${user.name} ${'accessToken' in set ? '(token)' : '(no token)'}`)
  pays()
  press('Check', async () => {
    const found = [await tokens.user.session(), await tokens.user.session({ responseType: 'id_token' }), await tokens.authorize.url()]
    const renewed = await tokens.token.get({ backgroundRenew: true, forceRenew: true })
    // oidc-client stores the new placeholder a little later.
    while ((await tokens.token.get()).accessToken !== renewed.accessToken) await new Promise((done) => setTimeout(done, 5))
    say('Checked: ' + JSON.stringify([...found, renewed, await tokens.token.revoke()]))
  })
  press('Sign out', async () => { await tokens.user.logout(); await client.terminate(); await begin() })
}

const begin = async () => show(await client.start({ journey: query.get('journey') ?? 'Login' }))
if (handle) await show(await client.resume(`${location.origin}/?code=${encodeURIComponent(handle)}&state=back`))
else await begin()
