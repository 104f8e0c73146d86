// A page on the former SDK, with its classes: passkeys, another provider, and a payment that needs a step-up.
import { CallbackType, Config, FRAuth, FRUser, FRWebAuthn, StepType, TokenManager, UserManager, WebAuthnStepType } from '@forgerock/javascript-sdk'
import { clear, field, handle, pays, press, query, say } from './shown.js'

Config.set({
  clientId: 'spa', redirectUri: `${location.origin}/callback`, scope: 'openid profile', realmPath: 'alpha',
  serverConfig: { baseUrl: `${location.origin}/bff/standard/am/`, timeout: 30000 },
  middleware: [(request, action, next) => {
    request.init.headers = new Headers(request.init.headers)
    request.init.headers.set('X-CSRF', '1')
    next()
  }],
})
const tree = query.get('journey') ?? 'Login'

async function show(step) {
  clear()
  if (step.type === StepType.LoginFailure) return say(`Failed: ${step.getMessage() ?? ''}`)
  if (step.type === StepType.LoginSuccess) return signedIn()
  const next = async () => show(await FRAuth.next(step, { tree }))
  for (const one of step.callbacks) {
    if (one.getType() === CallbackType.NameCallback) field('Name', 'text', (value) => one.setName(value))
    if (one.getType() === CallbackType.PasswordCallback) field('Password', 'password', (value) => one.setPassword(value))
    if (one.getType() === CallbackType.RedirectCallback) return press('Leave', async () => FRAuth.redirect(step))
  }
  const kind = FRWebAuthn.getWebAuthnStepType(step)
  if (kind === WebAuthnStepType.Registration) return press('Make a passkey', async () => { await FRWebAuthn.register(step, 'Phone'); await next() })
  if (kind === WebAuthnStepType.Authentication) return press('Use a passkey', async () => { await FRWebAuthn.authenticate(step); await next() })
  return press('Next', next)
}

async function signedIn() {
  const set = await TokenManager.getTokens({ forceRenew: true })
  const user = await UserManager.getCurrentUser()
  say(`Hello ${user.name} ${set?.accessToken ? '(token)' : '(no token)'}`)
  pays()
  press('Sign out', async () => { await FRUser.logout(); await begin() })
}

const begin = async () => show(await FRAuth.start({ tree }))
if (handle) await show(await FRAuth.resume(`${location.origin}/?code=${encodeURIComponent(handle)}&state=back`))
else await begin()
