// Draws the page of a flow as a form, by the types and the JSON Schemas of its questions. All texts stay texts.
import { isPasskey, passkey, canAutofill, deviceProfile } from './cloakroom.js'
import { say } from './texts.js'

/** An element with properties, attributes (names with a dash, and role, for), and children. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue
    if (key.includes('-') || key === 'role' || key === 'for') element.setAttribute(key, value)
    else element[key] = value
  }
  element.append(...children.filter((child) => child !== null && child !== undefined))
  return element
}

const actions = new Set(['SubmitCollector', 'FlowCollector', 'ActionCollector'])
const vendors = /^(ReCaptcha|PingOneProtect|PingOneRecognize|Protect|Recognize|Metadata)/
const safe = (address, ...schemes) => {
  try { return schemes.includes(new URL(address, location.href).protocol) ? address : undefined } catch { return undefined }
}
const segments = (question) => (question.segments ?? [{ text: question.content ?? question.label ?? '' }]).map(({ text, href }) =>
  href && safe(href, 'https:', 'http:', 'mailto:') ? make('a', { href, rel: 'noopener noreferrer', target: '_blank', textContent: text }) : text)

let ids = 0

/**
 * Shows a page inside of an element.
 *
 * `send(values, action)` is called with the answers, `leave(question)` for another site. `meanwhile(signal)` is called
 * whenever the page begins to wait for the user: when it is shown, and again after answers that were refused or not
 * sent; the signal aborts as soon as the user answers. `explain(problem)` is what the user is told of it. `hooks` has
 * functions by type for the scripts of other vendors. `abort` of the result stops what the page has begun.
 * `update(page)` takes a later state of a page that waits; false if it asks for something else and has to be drawn.
 */
export function draw(place, page, { send, leave, meanwhile, explain = ({ message }) => message, hooks = {} }) {
  let stop = new AbortController()
  const readers = []
  /** Begins again, with another signal, whenever the page waits. */
  const waiting = [meanwhile]
  const form = make('form', { noValidate: true })
  const buttons = make('div', { className: 'row' })
  const numbers = new Map()
  /** The id of an element for a question; `part` is one of several inputs. By a counter: a question's id may be any text. */
  const id = (question, part = '') => {
    const key = JSON.stringify([question.id, part])
    if (!numbers.has(key)) numbers.set(key, 'q-' + ++ids)
    return numbers.get(key)
  }
  const add = (question, read, ...parts) => {
    readers.push({ question, read })
    form.append(...parts)
  }
  const label = (question) => question.answer?.title || question.prompt || question.label || question.message || question.name || question.hiddenId || question.id

  const field = (question, input, text = label(question), part = '') => {
    input.id = id(question, part)
    const refusal = make('p', { className: 'error', id: input.id + '-error' })
    input.setAttribute('aria-describedby', refusal.id)
    return [make('label', { for: input.id, textContent: text }), input, refusal]
  }
  const input = (question, schema, properties = {}) => {
    const secret = schema.writeOnly && question.echoOn !== true
    return make('input', {
      type: secret ? 'password' : schema.format === 'email' ? 'email' : 'text', name: question.id,
      autocomplete: schema.autocomplete ?? (secret ? 'current-password' : 'off'), maxLength: schema.maxLength ?? 8192,
      value: secret ? '' : String(question.value ?? schema.default ?? ''), ...properties,
    })
  }
  const select = (options, chosen) => {
    const list = make('select')
    options.forEach(([value, title], at) => list.append(make('option', { value: String(at), textContent: title, selected: value === chosen })))
    return { list, read: () => options[Number(list.value)]?.[0] }
  }
  const check = (question, text, checked, nodes, part = '') => {
    const own = id(question, part)
    const box = make('input', { type: 'checkbox', checked: Boolean(checked), id: own, 'aria-describedby': own + '-error' })
    return [box, make('label', { className: 'check', for: own }, box, make('span', {}, ...(nodes ?? [text]))),
      make('p', { className: 'error', id: own + '-error' })]
  }
  const press = (text, action, className = 'second', values) => {
    const button = make('button', { type: 'button', className, textContent: text, name: action ?? '' })
    button.onclick = () => submit(action, values)
    buttons.append(button)
    return button
  }
  let submits = false
  let confirms = false
  let asksForKey = false
  const waitText = make('p')
  /** Values that go with the form's own button. */
  const besides = {}
  /** The members of an object that users fill in. */
  const asked = (schema) => Object.entries(schema.properties ?? {}).filter(([, part]) => !part.hidden)

  /** Any question, by its JSON Schema. */
  const bySchema = (question, schema = question.answer) => {
    const valued = schema.anyOf?.find((one) => one.type !== 'object') ?? schema.oneOf?.find((one) => one.type && one.type !== 'object' && one.const === undefined)
    if (valued) return bySchema(question, { ...valued, title: schema.title })
    const types = [schema.type].flat()
    const options = schema.oneOf?.filter((one) => 'const' in one).map((one) => [one.const, one.title ?? String(one.const)])
      ?? schema.enum?.map((value) => [value, String(value)])
    if (options?.length) {
      const { list, read } = select(options, question.value ?? schema.default)
      add(question, read, ...field(question, list))
    } else if (types.includes('boolean')) {
      const [box, ...parts] = check(question, label(question), question.value ?? schema.default)
      add(question, () => box.checked, ...parts)
    } else if (types.includes('integer') || types.includes('number')) {
      const box = input(question, schema, { inputMode: 'decimal' })
      // What is no number is sent as it is: the server says so beside the field.
      const read = (text) => (text === '' ? undefined : Number.isNaN(Number(text.replace(',', '.'))) ? text : Number(text.replace(',', '.')))
      add(question, () => read(box.value.trim()), ...field(question, box))
    } else if (types.includes('array')) {
      const choices = (question.options ?? []).map(({ value, label: text }) => {
        const [box, ...parts] = check(question, text, question.value?.includes(value), undefined, 'value ' + value)
        return { value, box, parts }
      })
      add(question, () => choices.filter(({ box }) => box.checked).map(({ value }) => value),
        make('fieldset', {}, make('legend', { textContent: label(question) }), ...choices.flatMap(({ parts }) => parts)))
    } else if (types.includes('object') && asked(schema).length === 1) {
      const [[name, part]] = asked(schema)
      const at = readers.length
      bySchema({ ...question, answer: part, failedPolicies: [] }, part)
      for (const reader of readers.slice(at)) {
        const { read } = reader
        // What was empty and stays empty is no answer.
        reader.read = () => { const value = read(); return value === undefined || (value === '' && !question.value) ? undefined : { [name]: value } }
      }
    } else if (types.includes('object') && schema.properties) {
      const parts = asked(schema).map(([name, part]) => {
        const box = input({ id: question.id + name, value: undefined }, part)
        return { name, box, nodes: field(question, box, name === 'confirm' ? say('repeat') : part.title ?? name, 'member ' + name) }
      })
      add(question, () => {
        const filled = parts.filter(({ box }) => box.value !== '').map(({ name, box }) => [name, box.value])
        return filled.length ? Object.fromEntries(filled) : undefined
      }, make('fieldset', {}, make('legend', { textContent: label(question) }), ...parts.flatMap(({ nodes }) => nodes)))
    } else {
      const box = input(question, schema)
      add(question, () => box.value, ...field(question, box))
    }
    for (const policy of question.failedPolicies ?? []) form.append(make('p', { className: 'error', textContent: policy.message }))
  }

  const credential = (question) => {
    const creates = question.specialised === 'webauthn_registration' || question.type === 'FidoRegistrationCollector'
    if (question.mediation === 'conditional') {
      waiting.push(async (signal) => {
        if (!await canAutofill() || signal.aborted) return
        for (const box of form.querySelectorAll('input[autocomplete~=username]')) box.autocomplete = 'username webauthn'
        const answer = await passkey(question, { signal })
        if (answer?.credential) submit(undefined, { [question.id]: answer })
      })
      return
    }
    // A browser refuses a second ceremony beside the first, and that refusal would be an answer.
    let isAsking = false
    const asks = async () => {
      if (isAsking) return
      isAsking = true
      const answer = await passkey(question, { signal: stop.signal, deviceName: 'Cloakroom sample' })
      isAsking = false
      if (answer) submit(question.type.startsWith('Fido') && question.trigger === 'BUTTON' ? question.id : undefined, { [question.id]: answer })
    }
    const button = make('button', { type: 'button', className: 'wide', textContent: say(creates ? 'newKey' : 'key') })
    button.onclick = asks
    form.append(button)
    asksForKey = true
  }

  const shown = {
    TextOutputCallback(question) {
      if (question.specialised?.startsWith('webauthn_')) return credential(question)
      if (question.codes) form.append(make('ul', { className: 'codes' }, ...question.codes.map((code) => make('li', { textContent: code }))))
      else if (question.uri) form.append(make('p', {}, make('code', { textContent: question.uri })))
      else form.append(make('p', { className: question.messageType === 2 ? 'error' : '', textContent: question.message }))
    },
    SuspendedTextOutputCallback(question) { form.append(make('p', { textContent: question.message || say('mail') })) },
    PollingWaitCallback(question) { form.append(waitText); waitText.textContent = question.message || say('wait') },
    PollingCollector() { form.append(make('p', { textContent: say('wait') })) },
    ReadOnlyCollector(question) { form.append(make('p', { textContent: question.content })) },
    ReadOnlyTextCollector(question) { form.append(make('p', { textContent: question.content })) },
    RichTextCollector(question) { form.append(make('p', {}, ...segments(question))) },
    QrCodeCollector(question) {
      const src = question.src && safe(question.src, 'data:', 'https:')
      form.append(src ? make('img', { className: 'code', src, alt: question.fallbackText ?? 'QR' }) : make('p', { textContent: question.fallbackText }))
    },
    ImageCollector(question) {
      const src = question.src && safe(question.src, 'https:')
      if (src) form.append(make('img', { src, alt: question.alt ?? '' }))
    },
    ConfirmationCallback(question) {
      if (question.options.length < 1) return
      question.options.forEach((text, at) => {
        const value = question.optionValues?.[at] ?? at
        press(text, undefined, at === 0 && !submits ? '' : 'second', { [question.id]: value })
      })
      confirms = true
    },
    SubmitCollector(question) {
      const button = press(question.label, question.id, '')
      if (!submits) button.type = 'submit'
      if (!submits) button.onclick = null
      submits = submits || question.id
    },
    FlowCollector(question) { press(question.label, question.id, question.style === 'link' ? 'quiet' : 'second') },
    ActionCollector(question) { press(question.label, question.id) },
    IdpCollector(question) {
      const button = make('button', { type: 'button', className: 'wide second', textContent: question.label, disabled: question.enabled === false || !question.go })
      button.onclick = () => leave(question)
      form.append(button)
    },
    RedirectCallback(question) {
      const button = make('button', { type: 'button', className: 'wide', textContent: question.provider ? say('leave', { name: question.provider }) : say('leaveOther'), name: 'leave' })
      button.onclick = () => leave(question)
      form.append(button)
    },
    BooleanCollector(question) {
      const [box, ...parts] = check(question, question.label, question.value, segments(question))
      add(question, () => box.checked, ...parts)
    },
    TermsAndConditionsCallback(question) {
      form.append(make('p', { textContent: question.terms }))
      const [box, ...parts] = check(question, `${say('yes')} (${question.version})`, false)
      add(question, () => box.checked, ...parts)
    },
    ConsentMappingCallback(question) {
      const [box, ...parts] = check(question, `${question.displayName}: ${question.message}`, false)
      add(question, () => box.checked, ...parts)
    },
    KbaCreateCallback(question) {
      const own = question.answer.properties.question
      const offered = (own.oneOf ?? []).map(({ const: value, title }) => [value, title ?? value])
      const { list, read } = offered.length ? select(offered, offered[0][0]) : {}
      const asks = list ?? make('input', { value: question.predefinedQuestions?.[0] ?? '', autocomplete: 'off' })
      const answered = make('input', { autocomplete: 'off' })
      add(question, () => ({ question: read ? read() : asks.value, answer: answered.value }), make('p', { textContent: question.prompt }),
        ...field(question, asks, say('question'), 'question'), ...field(question, answered, say('answer')))
    },
    PhoneNumberCollector(question) {
      const code = make('input', { value: question.value?.countryCode ?? question.defaultCountryCode ?? '', autocomplete: 'tel-country-code' })
      const number = make('input', { value: question.value?.phoneNumber ?? '', type: 'tel', autocomplete: 'tel-national' })
      const extension = question.showExtension ? make('input', { autocomplete: 'tel-extension' }) : null
      add(question, () => ({ phoneNumber: number.value, ...(code.value ? { countryCode: code.value } : {}), ...(extension?.value ? { extension: extension.value } : {}) }),
        ...field(question, code, say('country'), 'country'), ...field(question, number, question.label || say('number')),
        ...(extension ? field(question, extension, question.extensionLabel || say('extension'), 'extension') : []))
    },
    DeviceRegistrationCollector(question) {
      for (const { type, title, description } of question.options) press(title || description || type, question.id, 'second', { [question.id]: type })
      confirms = true
    },
    DeviceAuthenticationCollector(question) {
      for (const { id: device, title, description } of question.options) press([title, description].filter(Boolean).join(' '), question.id, 'second', { [question.id]: device })
      confirms = true
    },
    MultiSelectCollector(question) { bySchema(question, { type: 'array', title: question.label }) },
    SelectIdPCallback(question) {
      const local = question.providers.some(({ provider }) => provider === 'localAuthentication')
      if (local) besides[question.id] = 'localAuthentication'
      else confirms = true
      for (const { provider, uiConfig } of question.providers) if (provider !== 'localAuthentication') press(uiConfig?.buttonDisplayName || provider, undefined, 'second', { [question.id]: provider })
    },
    LanguageCallback() {},
    HiddenValueCallback(question) {
      if (question.uri) form.append(make('p', {}, make('code', { textContent: question.uri })))
    },
    DeviceProfileCallback(question) {
      if (question.message) form.append(make('p', { textContent: question.message }))
      let answer
      readers.push({ question, read: () => answer, ready: deviceProfile(question, 'sample-' + crypto.randomUUID()).then((found) => { answer = found }) })
    },
  }

  const title = page.title || (place.closest('dialog') ? '' : say('signIn'))
  if (title) form.append(make('h1', { textContent: title, tabIndex: -1 }))
  if (page.description) form.append(make('p', { className: 'hint', textContent: page.description }))
  const above = make('div', { role: 'alert', className: 'error' })
  form.append(above)
  for (const question of page.questions) {
    const hook = hooks[question.type]
    if (hook) {
      let answer
      readers.push({ question, read: () => answer, ready: hook(question, form).then((found) => { answer = found }) })
    } else if (isPasskey(question)) credential(question)
    else if (question.hidden) continue
    else if (shown[question.type]) shown[question.type](question)
    else if (/^DeviceBinding|^DeviceSigning/.test(question.type)) {
      form.append(make('p', { className: 'hint', textContent: say('noDeviceKey') }))
      readers.push({ question, read: () => ({ clientError: 'Unsupported' }) })
    }
    else if (vendors.test(question.type) && question.answer) form.append(make('p', { className: 'hint', textContent: say('ownScript') }))
    else if (question.answer?.hidden) continue
    else if (question.answer) bySchema(question)
    else if (question.message || question.label) form.append(make('p', { textContent: question.message ?? question.label }))
  }
  const waits = page.suspended || page.redirect
  const collects = page.kind === 'davinci' && page.questions.some(({ type }) => actions.has(type) || /^(Device|Idp|Polling)/.test(type))
  if (!waits && !confirms && !collects && !((page.polling || asksForKey) && !readers.length)) {
    buttons.prepend(make('button', { className: 'wide', textContent: page.texts?.submitButtonText || say('go'), name: 'go' }))
  }
  form.append(buttons)

  const errorOf = (box) => form.querySelector(`#${box.id}-error`)

  /** Says what is wrong beside the fields, and moves the focus to the first of them. */
  function refuse(message, details = []) {
    const rest = [message]
    let first
    for (const box of form.querySelectorAll('[aria-invalid]')) {
      box.removeAttribute('aria-invalid')
      errorOf(box).textContent = ''
    }
    for (const { id: name, message: own, requirements = [] } of details) {
      const sentences = requirements.map((one) => one.message).filter(Boolean)
      const sentence = (sentences.length ? sentences : [own]).filter(Boolean).join(' ')
      const box = name && form.querySelector('#' + id({ id: name }))
      if (!box) { rest.push(sentence); continue }
      box.setAttribute('aria-invalid', 'true')
      errorOf(box).textContent = sentence
      first ??= box
    }
    above.textContent = rest.filter(Boolean).join(' ')
    ;(first ?? form.querySelector('input, select'))?.focus()
  }

  async function submit(action, more = {}) {
    if (form.dataset.busy) return
    form.dataset.busy = 'yes'
    const enabled = form.querySelectorAll('button:enabled')
    for (const button of enabled) button.disabled = true
    stop.abort()
    try {
      await Promise.all(readers.map(({ ready }) => ready))
      const values = {}
      for (const { question, read } of readers) {
        const value = read()
        if (value !== undefined) values[question.id] = value
      }
      await send({ ...values, ...more }, action)
    } catch (problem) {
      delete form.dataset.busy
      for (const button of enabled) button.disabled = false
      refuse(problem.fields?.length ? '' : explain(problem), problem.fields)
      wait()
    }
  }
  function wait() {
    stop = new AbortController()
    for (const begin of waiting) begin?.(stop.signal)
  }
  form.onsubmit = (event) => { event.preventDefault(); submit(typeof submits === 'string' ? submits : undefined, besides) }
  place.replaceChildren(form)
  if (page.type === 'error') refuse(page.message, page.details)
  else (form.querySelector('input:not([type=hidden]), select') ?? form.querySelector('h1'))?.focus()
  wait()
  const update = (next) => {
    if (next.step !== page.step) return false
    if (waitText.isConnected && next.polling?.message) waitText.textContent = next.polling.message
    return true
  }
  return { abort: () => stop.abort(), update }
}
