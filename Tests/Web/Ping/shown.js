// What the pages on Ping's packages share: a place, buttons, and the API that asks for a step-up.
import { Cloakroom } from '/cloakroom.js'

const app = document.getElementById('app')
export const query = new URLSearchParams(location.search)
/** The handle with which the browser comes back from another site. */
export const handle = new URLSearchParams(location.hash.slice(1)).get('resume')
if (handle) history.replaceState(null, '', location.pathname + location.search)

export const clear = () => app.replaceChildren()
export const say = (text) => app.append(text)
export const field = (label, type, set) => {
  const input = Object.assign(document.createElement('input'), { type, ariaLabel: label, oninput: () => set(input.value) })
  app.append(label, input)
}
export const press = (textContent, work) => app.append(Object.assign(document.createElement('button'), {
  textContent, onclick: () => work().catch((error) => say(`Broken: ${error.message ?? error}`)) }))

/** Pays by the API below `api`; the step-up is one of the REST API, as docs/migrating-from-javascript.md says. */
export const pays = (api = '/api') => press('Pay', async () => {
  const room = new Cloakroom({ stepUp: async ({ instance, for: demand }) => {
    const other = room.instance(instance)
    const page = await other.start({ for: demand })
    return await new Promise((done) => {
      let code = ''
      field('Code', 'text', (value) => { code = value })
      press('Confirm', async () => {
        const { type } = await other.next(page, { [page.questions.find(({ answer }) => answer).id]: code })
        done(type === 'success')
      })
    })
  } })
  const answer = await room.fetch(`${api}/transactions`, { method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ from: 'checking', to: 'savings', amount: '12.50' }) })
  say(`Paid: ${answer.ok}`)
})
