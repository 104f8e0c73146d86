// A page on davinci-client and oidc-client: passkeys, another provider, a policy of the page's choice, and a payment that
// needs a step-up.
import { davinci, fido } from '@forgerock/davinci-client'
import { oidc } from '@forgerock/oidc-client'
import { clear, field, handle, pays, press, query, say } from './shown.js'

const requestMiddleware = [(request, action, next) => { request.headers.set('X-CSRF', '1'); next() }]
const wellknown = `${location.origin}/bff/workforce/davinci/env/as/.well-known/openid-configuration`
const config = { clientId: 'spa', redirectUri: `${location.origin}/callback`, scope: 'openid profile', serverConfig: { wellknown } }
const client = await davinci({ config, requestMiddleware })

async function show(node = client.getNode()) {
  clear()
  if (node.status === 'success') return signedIn()
  if (node.status === 'failure') return say(`Failed: ${client.getError()?.message ?? ''}`)
  if (node.status === 'error') say(`Error: ${client.getError()?.message ?? ''}`)
  const then = (work) => async () => { await work(); await show() }
  for (const one of client.getCollectors()) {
    if (one.type === 'TextCollector' || /Password/.test(one.type)) {
      field(one.output.label, one.type === 'TextCollector' ? 'text' : 'password', client.update(one))
    } else if (one.type === 'SubmitCollector') press(one.output.label, then(() => client.next()))
    else if (one.type === 'FlowCollector') press(one.output.label, then(client.flow({ action: one.output.key })))
    else if (one.type === 'IdpCollector') press(one.output.label, async () => { await client.externalIdp()(); location.assign(one.output.url) })
    else if (one.type === 'FidoRegistrationCollector') {
      press('Make it', then(async () => {
        client.update(one)(await fido().register(one.output.config.publicKeyCredentialCreationOptions))
        await client.next()
      }))
    } else if (one.type === 'FidoAuthenticationCollector') {
      press('Use it', then(async () => {
        client.update(one)(await fido().authenticate(one.output.config.publicKeyCredentialRequestOptions))
        await client.next()
      }))
    }
  }
}

async function signedIn() {
  const { code, state } = client.getClient().authorization
  const tokens = await oidc({ config, requestMiddleware })
  const set = await tokens.token.exchange(code, state)
  const user = await tokens.user.info()
  say(`Hello ${user.email} ${'accessToken' in set ? '(token)' : '(no token)'}`)
  pays('/api/workforce')
  press('Sign out', async () => { await tokens.user.logout(); await begin() })
}

const begin = async () => { await client.start({ query: { acr_values: query.get('policy') ?? 'SignOn' } }); await show() }
if (handle) {
  await client.resume({ continueToken: handle })
  await show()
} else await begin()
